"""What ``python -m masrepro bench`` says and writes; the command line itself is `masrepro.cli`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from masrepro.bench import Item, benchmark
from masrepro.bench.masbench.axes import AXES
from masrepro.bench.public import Card, DataError, cards, load
from masrepro.bench.public.card import Split
from masrepro.bench.public.file import find_file
from masrepro.bench.public.load import VARIABLE, data_folder, file_names
from masrepro.lab.file import write_atomic
from masrepro.lab.problem import BadInput, did_you_mean


def bench_list() -> list[str]:
    """One line a benchmark: name, sizes of its splits, scorer, title."""
    rows = [("masbench/<axis>/<value>", "generated", "exact_int", f"axis {', '.join(AXES)}; value 2 to 12")]
    rows += [(card.name, _sizes(card), card.scorer, card.title) for card in cards().values()]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows]


def bench_show(name: str, data_dir: Path | None = None) -> list[str]:
    """All that a card states, and what of it is here.

    Parameters
    ----------
    name : str
        A public benchmark, or ``masbench/<axis>/<value>``, of which the first item is shown.
    data_dir : Path or None
        Folder with local files; None for the one that ``MASREPRO_DATA`` names.

    Raises
    ------
    BadInput
        No such benchmark, or the data folder is not there.
    """
    if name.startswith(("masbench/", "masbench-paper/")):
        return _show_generated(_first(name))
    if name not in cards():
        raise BadInput.of(f"no benchmark {name}{did_you_mean(name, ['masbench/<axis>/<value>', *cards()])}")
    card = cards()[name]
    facts = [
        ("what", card.title),
        ("splits", _sizes(card)),
        ("scorer", card.scorer),
        ("judge", card.judge),
        ("licence", card.licence),
        ("private", card.keep_private),
        ("paper", card.paper),
        ("hub", _hub(card)),
        ("package", card.package.name if card.package else ""),
    ]
    lines = [card.name, *(f"  {key:10} {value}" for key, value in facts if value)]
    return [*lines, *(f"  {split:10} {_local(card, split, chosen, data_dir)}" for split, chosen in card.splits.items())]


def bench_make(
    axis: str,
    value: int,
    n: int,
    split: str,
    out: Path,
    *,
    options: Sequence[str] = (),
    paper: bool = False,
    force: bool = False,
) -> str:
    """Write ``n`` MASBench items to a JSON-lines file, whole or not at all; returns a line that says so.

    Each line holds ``id``, ``question``, ``answer``, ``scorer`` and ``meta``. ``options`` and ``paper`` choose among
    the cells of the axis value: ``masbench/<axis>/<value>/<option>`` and ``masbench-paper/<axis>/<value>``.

    Raises
    ------
    BadInput
        No such axis, value, option or split; ``n`` is not positive; ``out`` cannot be written, or is there already.
    """
    if n < 1:
        raise BadInput.of(f"-n is {n}; it must be at least 1")
    if out.exists() and not force:
        raise BadInput.of(f"{out} is there already; another --out, or --force to replace it")
    if not out.parent.is_dir():
        raise BadInput.of(f"the folder {out.parent} of --out is not there; make it first")
    name = "/".join(("masbench-paper" if paper else "masbench", axis, str(value), *options))
    try:
        items = benchmark(name, split=split, n=n)
        write_atomic(out, "".join(f"{_line(item)}\n" for item in items))
    except (ValueError, OSError) as error:
        raise BadInput.of(str(error)) from error
    return f"{len(items)} items of {name}, split {split}: {out}"


def _line(item: Item) -> str:
    answer = item.answer if isinstance(item.answer, str) else list(item.answer)
    fields = {"id": item.id, "question": item.question, "answer": answer, "scorer": item.scorer, "meta": item.meta}
    return json.dumps(fields, ensure_ascii=False)


def _first(name: str) -> Item:
    try:
        return benchmark(name, n=1)[0]
    except ValueError as error:
        raise BadInput.of(str(error)) from error


def _show_generated(item: Item) -> list[str]:
    answer = item.answer if isinstance(item.answer, str) else ", ".join(item.answer)
    return [
        str(item.meta["benchmark"]),
        "  what       generated with exact control of the axis; splits test and train share no template",
        f"  scorer     {item.scorer}",
        "  judge      none",
        f"  the first test item, {item.id}:",
        *(f"    {line}" for line in item.question.splitlines()),
        f"    answer: {answer}",
    ]


def _sizes(card: Card) -> str:
    return ", ".join(f"{split} {chosen.size:,}" for split, chosen in card.splits.items())


def _hub(card: Card) -> str:
    if card.hub is None:
        return f"not loaded from it: {card.how_to_get}"
    configs = ", ".join(config for config in card.hub.configs if config)
    pinned = card.hub.revision or f"not pinned: {card.hub.not_pinned}"
    return f"{card.hub.id}{f' ({configs})' if configs else ''}, revision: {pinned}"


def _local(card: Card, split: str, chosen: Split, data_dir: Path | None) -> str:
    """What a local file holds of a split, why it cannot be used, or which file is looked for."""
    folder = _folder(data_dir)
    try:
        path = find_file(chosen.files, folder) if folder else None
        if path is None:
            where = f"in {folder}" if folder else f"(no folder: --data-dir or {VARIABLE})"
            return f"no local file {where}; looked for: {file_names(chosen)}"
        items = load(card.name, split=split, data_dir=folder)
    except DataError as error:
        return f"cannot be used: {error}"
    return f"{len(items):,} of {chosen.size:,} items in {path}, sha256 {items[0].meta['source']['sha256']}"


def _folder(data_dir: Path | None) -> Path | None:
    try:
        return data_folder(data_dir)
    except DataError as error:
        raise BadInput.of(str(error)) from error
