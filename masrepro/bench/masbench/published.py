"""The published data set's schemas: items out to it, and the authors' files in.

On the hub a row has ``prompt_json`` (a list of messages), ``reward_model_json`` (``{"ground_truth": ...}``),
``extra_info_json``, ``axis``, ``value`` (not in the combined set) and ``data``, all strings; several truths are joined
by ``<<horizon>>``. The authors' trainer reads ``prompt`` and ``reward_model`` instead, and passes over rows without
them in silence; here a row that cannot be used is an error that names it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from masrepro.bench.item import Item
from masrepro.bench.public.error import DataError
from masrepro.bench.public.file import read_file

SEPARATOR = "<<horizon>>"
_SHOWN = 5


def export_rows(items: Iterable[Item]) -> list[dict[str, str]]:
    """Items as rows of the hub's schema. What ``data`` holds there is not known; here it is the benchmark's name."""
    return [
        {
            "prompt_json": json.dumps([{"role": "user", "content": item.question}]),
            "reward_model_json": json.dumps({"ground_truth": SEPARATOR.join(_several(item.answer))}),
            "extra_info_json": json.dumps({"id": item.id, **item.meta}),
            "axis": str(item.meta["axis"]),
            "value": str(item.meta["value"]),
            "data": str(item.meta["benchmark"]),
        }
        for item in items
    ]


def import_published(path: str | Path) -> list[Item]:
    """Items of a file in either schema, JSON lines or Parquet.

    The question is the last message from the user. Items have no dependency graph, so there is no oracle for them.

    Raises
    ------
    DataError
        The file cannot be read, or rows cannot be used: names them, and says what is wrong with each.
    """
    source = read_file(Path(path))
    items: list[Item] = []
    wrong: list[str] = []
    for index, (place, row) in enumerate(source.records):
        try:
            items.append(_item(row, index, source.facts))
        except ValueError as error:
            wrong.append(f"{place}: {error}")
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise DataError(f"{path}: {len(wrong)} rows are not MASBench's. {'; '.join(wrong[:_SHOWN])}{more}")
    return items


def _item(row: Mapping[str, Any], index: int, source: Mapping[str, str]) -> Item:
    question = _question(_field(row, "prompt"))
    reward = _field(row, "reward_model")
    truth = reward.get("ground_truth") if isinstance(reward, dict) else None
    answers = tuple(part.strip() for part in str(truth).split(SEPARATOR))
    if not all(re.fullmatch(r"-?\d+", answer) for answer in answers):
        raise ValueError(f"the ground truth {truth!r} is not integers joined by {SEPARATOR}")
    axis = str(row.get("axis") or "unknown")
    value = str(row.get("value"))
    return Item(
        id=f"masbench-published-{axis}-{index}-{sha256(question.encode()).hexdigest()[:10]}",
        question=question,
        answer=answers[0] if len(answers) == 1 else answers,
        scorer="exact_int" if len(answers) == 1 else "exact_ints",
        meta={
            "benchmark": f"masbench-published/{axis}",
            "axis": axis,
            "value": int(value) if value.isdecimal() else None,
            "data": row.get("data"),
            "extra_info": _field(row, "extra_info", needed=False),
            "source": source,
        },
    )


def _field(row: Mapping[str, Any], name: str, *, needed: bool = True) -> Any:
    """A field under its name in either schema, decoded where it is a string."""
    found = row.get(f"{name}_json", row.get(name))
    if found is None and needed:
        raise ValueError(f"neither {name}_json nor {name}")
    if not isinstance(found, str):
        return found
    try:
        return json.loads(found)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is not JSON: {error}") from error


def _question(messages: Any) -> str:
    said = [m.get("content") for m in messages if isinstance(m, dict) and m.get("role") == "user"]
    if not said or not isinstance(said[-1], str) or not said[-1].strip():
        raise ValueError("the prompt holds no message from the user")
    return said[-1]


def _several(answer: str | tuple[str, ...]) -> tuple[str, ...]:
    return (answer,) if isinstance(answer, str) else answer
