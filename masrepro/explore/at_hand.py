"""What there is to look at: runs and trainings on record, and where there are none, small ones made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from masrepro.baselines import system
from masrepro.baselines.recount import recount
from masrepro.bench import Item, benchmark
from masrepro.explore.shelf import shelves
from masrepro.explore.training import newest_training
from masrepro.lab.backbone import load_backbone
from masrepro.lab.explorer_params import HERE, ExplorerParams
from masrepro.lab.fault_bench import RESUME, policies, tell
from masrepro.lab.forest import trees_in
from masrepro.lab.orchestrator import catalogue_with
from masrepro.lab.problem import BadInput
from masrepro.lab.sample_store import FILE
from masrepro.models.desk import load_desk_model, shipped_adapters
from masrepro.models.model import Pool, Sampling, Usage
from masrepro.runtime import Budget, RepairedRun
from masrepro.train.rollout import Team
from masrepro.train.training_folder import SETTINGS
from masrepro.train.tree import Tree

if TYPE_CHECKING:
    from masrepro.lab.notebook import Run

CATALOGUE = catalogue_with(["cot"])


def team_of(params: ExplorerParams) -> Team:
    """The sub-agents of all that is run here."""
    return Team(
        Pool.of(load_backbone(params)),
        CATALOGUE,
        Sampling(max_tokens=params.max_tokens, seed=params.seed),
        Budget(calls=params.system_calls),
        rationale_chars=params.rationale_chars,
    )


async def samples_at_hand(run: Run, params: ExplorerParams) -> Path:
    """The run folder to look at: the one that is named, the newest with samples, or this run's with a few made now.

    Raises
    ------
    BadInput
        The folder that is named holds no samples.
    """
    outputs = run.path.parents[1]
    if params.samples_from not in ("", HERE):
        named = outputs / params.samples_from
        if not (named / FILE).exists():
            raise BadInput.of(f"samples_from: {params.samples_from} holds no samples; name a run below outputs/")
        return named
    found = shelves(outputs) if not params.samples_from else []
    if found:
        return found[0].path
    await _make_samples(run, params)
    return run.path


def training_at_hand(run: Run, params: ExplorerParams, team: Team) -> Path:
    """The training to look at: the one that the params name, the newest below the outputs, or a short one made now.

    Raises
    ------
    BadInput
        The folder that is named holds no training.
    """
    if params.training not in ("", HERE):
        with_package = {path.name: path for path in shipped_adapters()}
        training = with_package.get(params.training, Path(params.training))
        if not (training / SETTINGS).exists():
            raise BadInput.of(
                f"training: {params.training} holds no training; name the training/ of a run, or one of "
                f"{', '.join(with_package)}"
            )
        return training
    found = newest_training(run.path.parents[1]) if not params.training else None
    if found is not None:
        return found
    from masrepro.train.grpo import train

    trained = train(params.own_training, run.path / "training", team=team)
    run.spend(sum((step.usage for step in trained.steps), Usage()), models=team.models)
    return run.path / "training"


def trees_at_hand(outputs: Path) -> list[Tree]:
    """The decision trees of the newest run that has grown any; none where there is no such run."""
    for folder in sorted(outputs.glob("*/*/trees"), key=lambda path: path.parent.name, reverse=True):
        trees = trees_in(folder)
        if trees:
            return trees
    return []


async def repair_at_hand(run: Run, params: ExplorerParams, item: Item) -> RepairedRun:
    """The oracle's system for an item, run into the params' fault and repaired by the next model of the pool."""
    pool = Pool({name: load_desk_model(name) for name in params.solvers})
    greedy = Sampling(max_tokens=params.max_tokens, seed=params.seed)
    plan = system("oracle").design(item)
    told = await tell(
        params.fault, plan, item, pool, policies()[RESUME], check=recount, seed=params.seed, sampling=greedy
    )
    run.spend(told.usage, models=pool)
    return told


async def _make_samples(run: Run, params: ExplorerParams) -> None:
    """Every system of the params on a few items, into this run's own record."""
    team = team_of(params)
    for cell in params.cells:
        items = benchmark(cell, split="test", n=params.n_samples)
        for one in map(system, params.systems):
            await run.evaluate(
                one,
                items,
                models=team.models,
                benchmark=cell,
                sampling=team.sampling,
                budget=team.budget,
                rationale_chars=team.rationale_chars,
            )
