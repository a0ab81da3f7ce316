"""Makes MASBench items. Item i depends on nothing but version, axis, value, split and i."""

from __future__ import annotations

from hashlib import sha256
from random import Random

from masrepro.bench.item import Item
from masrepro.bench.masbench.axes import plan
from masrepro.bench.masbench.graph import Problem, joint_template
from masrepro.bench.masbench.names import draw_names
from masrepro.bench.masbench.text import question

VERSION = "1"
SPLITS = ("train", "test")
TRAIN_SHARE = 0.6
_MAX_TRIES = 1_000


def make_item(axis: str, value: int, split: str, index: int) -> Item:
    """One item.

    Parameters
    ----------
    axis, value
        See `masrepro.bench.masbench.axes`.
    split : {"train", "test"}
        Items of the two splits never share a template (the graph without names and numbers) within an axis and value.
    index : int
        Which item of the split, from 0; any number of items can be made, in any order.

    Raises
    ------
    ValueError
        Axis, value or split is not known.
    """
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}; MASBench has {' and '.join(SPLITS)}")
    rng = Random(f"masbench/{VERSION}/{axis}/{value}/{split}/{index}")
    for _ in range(_MAX_TRIES):
        problems = plan(axis, value, rng)
        template = joint_template(problems)
        if split_of(template) == split:
            return _item(axis, value, split, index, _named(problems, rng), template, rng)
    raise RuntimeError(f"no {split} template of {axis} {value} in {_MAX_TRIES} draws")


def split_of(template: str) -> str:
    """The split that a template belongs to, for ever."""
    return "train" if int(template[:8], 16) / 0x1_0000_0000 < TRAIN_SHARE else "test"


def _named(problems: tuple[Problem, ...], rng: Random) -> tuple[Problem, ...]:
    names = draw_names(rng, [len(problem.quantities) for problem in problems])
    return tuple(problem.named(own) for problem, own in zip(problems, names, strict=True))


def _item(
    axis: str, value: int, split: str, index: int, problems: tuple[Problem, ...], template: str, rng: Random
) -> Item:
    text = question(problems, rng)
    answers = tuple(str(problem.answer) for problem in problems)
    return Item(
        id=f"masbench-{axis}-{value}-{split}-{index}-{sha256(text.encode()).hexdigest()[:10]}",
        question=text,
        answer=answers[0] if len(answers) == 1 else answers,
        scorer="exact_int" if len(answers) == 1 else "exact_ints",
        meta={
            "benchmark": f"masbench/{axis}/{value}",
            "version": VERSION,
            "split": split,
            "index": index,
            "template": template,
            "depth": max(problem.depth for problem in problems),
            "breadth": max(problem.breadth for problem in problems),
            "parallel": len(problems),
            "operations": sum(problem.operations for problem in problems),
            "sentences": sum(len(problem.quantities) for problem in problems),
            "distractors": sum(len(problem.quantities) - len(problem.cone) for problem in problems),
        },
        problems=problems,
    )
