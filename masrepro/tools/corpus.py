"""A collection of passages on this machine that can be searched: BM25 by `bm25s`, with a fixed order of equals.

For benchmarks that bring their passages along, such as HotpotQA and BrowseComp+. Not here: the tools that agents use
(`search`).
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import bm25s

_WORD = r"(?u)\b\w+\b"  # single characters too, which the library leaves out: "Vitamin C", "X&Y"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text with a title; ``id`` is its address within its corpus."""

    id: str
    title: str
    text: str


class CorpusError(ValueError):
    """A file is no corpus; the message names the line."""


class Corpus:
    """Passages and their index, which is built once, when it is first searched.

    Parameters
    ----------
    passages : iterable of Passage
        Their ids are unique.

    Raises
    ------
    CorpusError
        There are none, or an id occurs twice.
    """

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.passages: Sequence[Passage] = tuple(passages)
        self._by_id = {passage.id: passage for passage in self.passages}
        self._index: bm25s.BM25 | None = None
        self._building = threading.Lock()
        if not self.passages:
            raise CorpusError("a corpus needs at least one passage")
        if len(self._by_id) < len(self.passages):
            raise CorpusError(f"ids of passages must be unique, but {_twice(self.passages)!r} occurs twice")

    @classmethod
    def from_jsonl(cls, path: str | Path) -> Corpus:
        """The corpus in a file of JSON lines with ``title``, ``text`` and, if they are to be kept, ``id``.

        Without an ``id`` a passage goes by its number in the file, from 1.

        Raises
        ------
        CorpusError
            A line is no such object; names file and line.
        OSError
            The file cannot be read.
        """
        with open(path, encoding="utf-8") as lines:
            return cls(_passage(line, number, path) for number, line in enumerate(lines, start=1) if not line.isspace())

    def passage(self, id: str) -> Passage | None:
        """The passage of that id, or None."""
        return self._by_id.get(id)

    def search(self, query: str, n: int) -> list[Passage]:
        """The best ``n`` passages, or fewer where fewer share a word with the query.

        Blocks while the index is built. Equal scores are in the order of the corpus.
        """
        import numpy as np

        (words,) = _words([query])
        index = self._indexed()
        known = [word for word in words if word in index.vocab_dict]
        if not known:
            return []
        scores = index.get_scores(known)
        best = np.argsort(-scores, kind="stable")[:n]
        return [self.passages[position] for position in best if scores[position] > 0]

    def __len__(self) -> int:
        return len(self.passages)

    def _indexed(self) -> bm25s.BM25:
        with self._building:
            if self._index is None:
                import bm25s

                index = bm25s.BM25(backend="numpy")
                words = _words([f"{passage.title}\n{passage.text}" for passage in self.passages])
                index.index(words, show_progress=False)
                self._index = index
            return self._index


def _words(texts: list[str]) -> list[list[str]]:
    import bm25s

    words: list[list[str]] = bm25s.tokenize(
        texts, token_pattern=_WORD, stopwords="en", return_ids=False, show_progress=False
    )
    return words


def _passage(line: str, number: int, path: str | Path) -> Passage:
    try:
        fields: Any = json.loads(line)
    except ValueError as error:
        raise CorpusError(f"{path}, line {number}: no JSON: {error}") from None
    match fields:
        case {"title": str() as title, "text": str() as text}:
            return Passage(str(fields.get("id", number)), title, text)
    raise CorpusError(f'{path}, line {number}: a passage looks like {{"id": "...", "title": "...", "text": "..."}}')


def _twice(passages: Sequence[Passage]) -> str:
    (most, _), *_ = Counter(passage.id for passage in passages).most_common(1)
    return most
