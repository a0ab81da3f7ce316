"""Many decision trees as one list of jobs, on this machine or a cluster; a tree is kept the moment it is grown.

A job that is killed loses the trees in flight, and the same call goes on with those that are missing. How one tree
grows is `growth`'s to say (MAS², arXiv 2509.24323, section 3.2).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from masrepro.bench import Item
from masrepro.lab.executor import IN_PROCESS, Executor, JobLost, Work
from masrepro.lab.fault_setting import FaultKind
from masrepro.lab.file import Lock, write_atomic
from masrepro.lab.grade import name_of
from masrepro.lab.growth import Grown, TreeSettings, Trio, grow
from masrepro.lab.job import MOST_LOSSES
from masrepro.lab.sample import usage_of, usage_record
from masrepro.lab.staffed_run import Terms
from masrepro.lab.workers import work_through
from masrepro.models.model import Model, Pool, Price, Usage
from masrepro.runtime.trace import NOTHING
from masrepro.train.tree import TREE_SUFFIX, Tree

__all__ = ["Grown", "TreeSettings", "Trio", "computed_in", "forest", "grow", "trees_in"]

SETTINGS = "settings.json"


async def forest(
    items: Mapping[str, Sequence[Item]],
    trio: Trio,
    settings: TreeSettings = TreeSettings(),
    *,
    models: Pool,
    folder: Path,
    prices: Mapping[str, Price] | None = None,
    faults: Sequence[FaultKind] = ("none",),
    terms: Terms = Terms(),
    executor: Executor = IN_PROCESS,
    concurrency: int = 16,
    progress: Callable[[int, int], None] | None = None,
) -> list[Tree]:
    """Grow a tree for every item, or read the one that is there.

    Parameters
    ----------
    items : mapping of str to sequence of Item
        By benchmark; ids must be unique.
    trio, settings, models, prices, terms
        As for `grow`, which remembers replies itself, tree by tree: give the models as they are.
    folder : Path
        Gets a file a tree, and ``settings.json``. More items may be added to it later, nothing else may change.
    faults : sequence of FaultKind
        In turn over a benchmark's items: one fault a tree. A kind that is there twice comes twice as often.
    executor : Executor
        Where trees grow. They are written down in this process.
    concurrency : int
        Trees at once; the branches of one grow at once as well.
    progress : callable or None
        Called as ``progress(finished, total)`` at the beginning and after every tree.

    Returns
    -------
    list of Tree
        In the order of the items.

    Raises
    ------
    ValueError
        The folder holds trees of other settings, which are named; items share an id; or a model has no price.
    Locked
        Another process grows trees there.
    ModelError
        A meta-agent could not be asked. What is grown is kept.
    JobLost
        A tree was lost with its machine time and again.
    """
    if not faults or concurrency < 1:
        raise ValueError(f"faults must name one kind or more and concurrency be 1 or more, got {faults}, {concurrency}")
    jobs = [
        _Job(benchmark, item, faults[place % len(faults)])
        for benchmark, own in items.items()
        for place, item in enumerate(own)
    ]
    if len({job.item.id for job in jobs}) < len(jobs):
        raise ValueError("items must have unique ids: a tree is kept under its item's")
    growth = _Growth(trio, settings, models, dict(prices or {}), terms)
    folder.mkdir(parents=True, exist_ok=True)
    with Lock(folder / ".lock"):
        _claim(folder, growth.record())
        done = {job.item.id: _kept(folder, job) for job in jobs if _file(folder, job.item.id).exists()}
        missing = [job for job in jobs if job.item.id not in done]

        def report() -> None:
            if progress is not None:
                progress(len(done), len(jobs))

        report()
        async with (executor if missing else IN_PROCESS).spread(growth) as growing:

            async def work(job: _Job) -> None:
                grown = await _persistently(growing, job)
                write_atomic(_file(folder, job.item.id), _text(grown))
                done[job.item.id] = grown.tree
                report()

            await work_through(missing, work, concurrency)
    return [done[job.item.id] for job in jobs]


def trees_in(folder: Path) -> list[Tree]:
    """The trees that are kept in a folder, by name of their file: to be looked at, or scored again.

    Raises
    ------
    ValueError
        A file is no tree.
    """
    return [_read(path).tree for path in _files(folder)]


def computed_in(folder: Path) -> Usage:
    """What was computed for all trees of a folder, at the models' own prices."""
    return sum((_read(path).computed for path in _files(folder)), NOTHING)


@dataclass(frozen=True, slots=True)
class _Job:
    benchmark: str
    item: Item
    fault: FaultKind


@dataclass(frozen=True, slots=True)
class _Growth:
    """How jobs are done."""

    trio: Trio
    settings: TreeSettings
    models: Pool
    prices: Mapping[str, Price]
    terms: Terms

    async def __call__(self, job: _Job) -> Grown:
        try:
            return await grow(
                job.item,
                self.trio,
                self.settings,
                benchmark=job.benchmark,
                models=self.models,
                prices=self.prices,
                fault=job.fault,
                terms=self.terms,
            )
        except Exception as error:
            error.add_note(f"while growing the tree of {job.item.id} ({job.benchmark}, {job.fault})")
            raise

    def record(self) -> dict[str, Any]:
        """Everything that decides what is in a tree, JSON-ready."""
        generator, implementer, rectifier = self.trio.generator, self.trio.implementer, self.trio.rectifier
        terms = {field.name: str(getattr(self.terms, field.name)) for field in fields(self.terms)}
        return {
            **asdict(self.settings),
            **terms,
            "check": getattr(self.terms.check, "__name__", "none"),
            "scorer": name_of(self.terms.scorer),
            "terms_seed": self.terms.seed,
            "seed": self.settings.seed,
            "generator": [*self._told(generator.model), generator.notation, str(generator.dom)],
            "workflows": [workflow.name for workflow in generator.catalogue.workflows],
            "implementer": self._told(implementer.model),
            "abilities": dict(implementer.abilities),
            "rectifier": "none" if rectifier is None else self._told(rectifier.model or self.models.backbone(None)),
            "models": {name: self._told(model) for name, model in self.models.items()},
        }

    def _told(self, model: Model) -> list[str]:
        price = self.prices.get(model.name) or model.price
        return [model.name, model.revision, f"{price.prompt_usd} / {price.completion_usd}" if price else "unknown"]


async def _persistently(growing: Work[_Job, Grown], job: _Job) -> Grown:
    """A tree whose process was lost is grown again, and given up after `MOST_LOSSES` times."""
    for attempt in range(MOST_LOSSES):
        try:
            return await growing(job)
        except JobLost as loss:
            if attempt == MOST_LOSSES - 1:
                loss.add_note(f"the tree of {job.item.id} was lost {MOST_LOSSES} times")
                raise
    raise AssertionError("a tree is grown or lost")


def _claim(folder: Path, told: Mapping[str, Any]) -> None:
    """Take the folder for these settings, or raise ValueError that says which of those that are there differ."""
    path = folder / SETTINGS
    told = json.loads(json.dumps(told))
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        changed = [name for name in {**before, **told} if before.get(name) != told.get(name)]
        if changed:
            raise ValueError(f"{folder} holds trees with another {', '.join(changed)}; choose another folder")
    write_atomic(path, json.dumps(told, indent=2) + "\n")


def _file(folder: Path, item_id: str) -> Path:
    return folder / f"{item_id}{TREE_SUFFIX}"


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{TREE_SUFFIX}"))


def _kept(folder: Path, job: _Job) -> Tree:
    """The tree that is there, which must be that of the job."""
    tree = _read(_file(folder, job.item.id)).tree
    kept, wanted = (tree.benchmark, tree.question, tree.fault), (job.benchmark, job.item.question, job.fault)
    if kept != wanted:
        raise ValueError(
            f"{folder} holds a tree of {job.item.id} for {kept[0]} under {kept[2]!r}, not {wanted[0]} under "
            f"{wanted[2]!r}; choose another folder"
        )
    return tree


def _text(grown: Grown) -> str:
    return f'{{"computed": {json.dumps(usage_record(grown.computed))}, "tree": {grown.tree.to_json()}}}\n'


def _read(path: Path) -> Grown:
    record = json.loads(path.read_text(encoding="utf-8"))
    try:
        return Grown(Tree.from_json(json.dumps(record["tree"])), usage_of(record["computed"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is no tree: {error!r}; delete it, and it is grown again") from error
