"""Tools that look into a local corpus: ``search`` finds passages, ``open_page`` reads one of them whole."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from masrepro.tools.corpus import Corpus, Passage
from masrepro.tools.tool import Arguments, ToolResult, UseFailed, attempt, schema

MOST_HITS = 20

SEARCH_PARAMETERS = schema(
    {"query": {"type": "string", "description": "what to look for, in a few words"}},
    {"hits": {"type": "integer", "description": f"how many passages, 1 to {MOST_HITS}"}},
)
OPEN_PARAMETERS = schema({"page": {"type": "string", "description": "what a search shows in brackets"}})


@dataclass(frozen=True, slots=True)
class Search:
    """Find passages of a corpus by their words (BM25).

    Parameters
    ----------
    corpus : Corpus
        Where to look. Several tools may share one.
    hits : int
        Passages for a query that does not say how many (paper: 5).
    hit_chars : int
        Characters of each passage that are shown.
    """

    name: ClassVar[str] = "search"
    description: ClassVar[str] = "Finds passages that share words with the query, best first."
    parameters: ClassVar[Mapping[str, Any]] = SEARCH_PARAMETERS
    corpus: Corpus
    hits: int = 5
    hit_chars: int = 1_000

    async def use(self, arguments: Arguments) -> ToolResult:
        """Passages as ``[id] title`` and the beginning of their text; no match is a result as well."""
        return await attempt(self, arguments, self._search)

    async def _search(self, arguments: Arguments) -> str:
        query, n = checked_query(arguments, self.hits)
        found = await asyncio.to_thread(self.corpus.search, query, n)
        if not found:
            return "No passage shares a word with the query."
        return "\n\n".join(hit(passage, self.hit_chars) for passage in found)


@dataclass(frozen=True, slots=True)
class OpenPassage:
    """Read one passage of a corpus whole.

    Parameters
    ----------
    corpus : Corpus
        That in which the search looks.
    page_chars : int
        Characters shown at most (paper: 10,000).
    """

    name: ClassVar[str] = "open_page"
    description: ClassVar[str] = "Reads one passage that a search has found, whole."
    parameters: ClassVar[Mapping[str, Any]] = OPEN_PARAMETERS
    corpus: Corpus
    page_chars: int = 10_000

    async def use(self, arguments: Arguments) -> ToolResult:
        """Title and text of the passage of that id."""
        return await attempt(self, arguments, self._open)

    async def _open(self, arguments: Arguments) -> str:
        id = arguments["page"].strip().removeprefix("[").removesuffix("]")
        passage = self.corpus.passage(id)
        if passage is None:
            raise UseFailed("not_found", f"there is no passage {id!r}; take the text in brackets before a title")
        return hit(passage, self.page_chars)


def checked_query(arguments: Arguments, hits: int) -> tuple[str, int]:
    """The query and how many hits it asks for, within bounds; an empty query is a bad argument."""
    query = arguments["query"].strip()
    if not query:
        raise UseFailed("bad_arguments", "the query is empty")
    return query, min(max(arguments.get("hits", hits), 1), MOST_HITS)


def hit(passage: Passage, chars: int) -> str:
    """A passage as an agent reads it."""
    cut = "" if len(passage.text) <= chars else "..."
    return f"[{passage.id}] {passage.title}\n{passage.text[:chars]}{cut}"
