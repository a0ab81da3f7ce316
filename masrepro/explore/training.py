"""What an orchestrator writes for one question at several points of its training, from its base to its last step.

A training keeps the adapters of its checkpoints beside the finished one (`masrepro.train`). Each is asked the question
anew, greedily, so that what changes is the orchestrator. Not here: curves of a whole training, which are notebook 05's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from masrepro.bench import Item
from masrepro.explore.case import Case, case_of_run
from masrepro.explore.verdict import Verdict, verdict_of
from masrepro.lab.table import Row
from masrepro.models.model import Sampling
from masrepro.orchestration.dom import DoM
from masrepro.runtime import run
from masrepro.runtime.trace import NOTHING, Trace
from masrepro.train.grpo import catalogue_of
from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.history import read_history
from masrepro.train.rollout import Team
from masrepro.train.training_folder import HISTORY, MODEL, SETTINGS, earlier_adapters, n_updates

NO_SYSTEM = "invalid"


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a training.

    Parameters
    ----------
    step : int
        Steps that had been made; 0 is the base.
    weights : Path or None
        The adapter or model of that step; None for the base.
    reward : float or None
        Mean reward of that step's batch; None where there was none, or it is not on record.
    """

    step: int
    weights: Path | None
    reward: float | None


@dataclass(frozen=True, slots=True)
class Written:
    """What was written at a point, and what came of it.

    Parameters
    ----------
    point : Point
    text : str
        As the orchestrator wrote it.
    verdict : Verdict
        The parser's.
    case : Case
        The run of the system with the training's sub-agents; without a run where it is no system.
    """

    point: Point
    text: str
    verdict: Verdict
    case: Case


def settings_of(training: Path) -> GrpoSettings:
    """What a training was told."""
    values = json.loads((training / SETTINGS).read_text(encoding="utf-8"))
    return GrpoSettings.model_validate_json(json.dumps(values))


def points(training: Path) -> list[Point]:
    """The base, every step whose weights are kept, and the finished model, in order.

    Parameters
    ----------
    training : Path
        A training's folder, or the finished model of one, which a shipped adapter is.
    """
    settings = settings_of(training)
    history = {step.step: step.reward for step in read_history(training / HISTORY)}
    model = training if (training / "adapter_config.json").exists() else training / MODEL
    kept = {
        n_updates(path) // settings.iterations: path
        for path in (training / "checkpoints").glob("checkpoint-*")
        if (path / "trainer_state.json").exists()
    }
    kept |= earlier_adapters(model)
    if (model / SETTINGS).exists():
        kept[settings.steps] = model
    return [Point(0, None, None)] + [Point(step, kept[step], history.get(step)) for step in sorted(kept)]


def newest_training(outputs: Path) -> Path | None:
    """The newest finished training whose orchestrator writes whole systems; None where there is none."""
    found = [path.parent.parent for path in outputs.glob(f"*/*/training/{MODEL}/{SETTINGS}")]
    for training in sorted(found, key=lambda path: path.parent.name, reverse=True):
        if settings_of(training).method == "holistic":
            return training
    return None


async def write_at(training: Path, points: Sequence[Point], item: Item, team: Team, *, seed: int = 1) -> list[Written]:
    """Ask for a system for the item at every point, greedily, and run what is one with the team.

    Raises
    ------
    ModelError
        The orchestrator could not be asked.
    """
    from masrepro.meta.orchestrator import write_systems
    from masrepro.train.trained import load_orchestrator

    settings = settings_of(training)
    dom = DoM.parse(settings.doms[0])
    greedy = Sampling(max_tokens=settings.plan_tokens, seed=seed)
    written = []
    for point in points:
        model = load_orchestrator(settings.orchestrator, point.weights, device=settings.device)
        (reply,) = await write_systems(model, [item], sampling=greedy, dom=dom, catalogue=catalogue_of(settings))
        verdict = verdict_of(reply.text, dom=dom)
        written.append(Written(point, reply.text, verdict, await _case(f"step {point.step}", verdict, item, team)))
    return written


def training_rows(written: Sequence[Written]) -> list[Row]:
    """A row a point: the system that was written, what came of it, and the reward of that step's batch."""
    return [
        {
            "step": one.point.step,
            "reward of its batch": one.point.reward,
            "agents": len(one.verdict.plan.agents) if one.verdict.plan else None,
            "longest chain": one.verdict.plan.longest_chain if one.verdict.plan else None,
            "outcome": one.case.outcome,
            "answer": one.case.answer,
            "rule broken": one.verdict.error.rule if one.verdict.error else "",
        }
        for one in written
    ]


async def _case(title: str, verdict: Verdict, item: Item, team: Team) -> Case:
    if verdict.plan is None:
        gold = item.answer if isinstance(item.answer, str) else ", ".join(item.answer)
        return Case(title, None, Trace(), NO_SYSTEM, None, gold, NOTHING, 0.0, f"{verdict.error}")
    result = await run(
        verdict.plan,
        item.question,
        models=team.models,
        budget=team.budget,
        sampling=team.sampling,
        rationale_chars=team.rationale_chars,
    )
    return case_of_run(title, verdict.plan, result, item)
