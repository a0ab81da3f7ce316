"""One run of a staffed system under a fault, scored: what `mas2` compares and `forest` branches.

Not here: who designed and staffed it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from masrepro.baselines.rectifiers import RetryCall
from masrepro.bench import Item
from masrepro.bench.scoring.outcome import Outcome
from masrepro.lab.cost import CostReached
from masrepro.lab.fault_setting import FaultKind, Setting, under
from masrepro.lab.grade import STRICT, Scorer, graded
from masrepro.lab.job import was_refused
from masrepro.lab.sample import Sample
from masrepro.models.model import Pool, Sampling, Usage
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime import Budget, Check, Rectifier, RepairedRun, run_with_repairs
from masrepro.runtime.budget import UNLIMITED
from masrepro.runtime.rectifier import RECTIFIER
from masrepro.runtime.run import GREEDY
from masrepro.runtime.trace import NOTHING, Span


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which conditions staffed systems run, equal for all that are compared.

    Parameters
    ----------
    sampling : Sampling
        Of every sub-agent's call. Greedy, so that systems differ in nothing but what the meta-agents decided.
    budget : Budget
        What one run may spend in all, repairs included; a fault may narrow it.
    repair_at : Budget
        theta_C: once more than this is spent a run pauses for a repair, once (paper: value not stated).
    max_repairs : int
        Times that a rectifier is asked in one run (paper: not stated).
    check : callable or None
        Looks at every output, so that silent errors trigger a repair too (not in the paper).
    failing : str
        The model of the pool that fails where a fault makes one fail; empty: one that is drawn for each item.
    rationale_chars : int
        Characters of an agent's rationale that flow on with its answer.
    seed : int
        Of the faults' schedules.
    scorer : Scorer
    """

    sampling: Sampling = GREEDY
    budget: Budget = UNLIMITED
    repair_at: Budget = UNLIMITED
    max_repairs: int = 3
    check: Check | None = None
    failing: str = ""
    rationale_chars: int = 400
    seed: int = 1
    scorer: Scorer = STRICT


@dataclass(frozen=True, slots=True)
class StaffedRun:
    """What came of one run.

    Parameters
    ----------
    outcome : Outcome
        As of scoring. ``invalid``: the system cannot be run; ``error``: a back-end or tool failed and was not repaired.
    error : str
        Why it is ``invalid``, ``limit`` or ``error``, with the rule that was broken; else empty.
    usage, repair_usage : Usage
        Of the system's own calls in all its attempts, and of the rectifier's.
    seconds : float
        Wall-clock time.
    n_repairs : int
        Repairs that were made.
    told : RepairedRun or None
        All that happened; None where nothing was run.
    """

    outcome: Outcome
    error: str = ""
    usage: Usage = NOTHING
    repair_usage: Usage = NOTHING
    seconds: float = 0.0
    n_repairs: int = 0
    told: RepairedRun | None = None


async def run_staffed(
    plan: Orchestration, item: Item, fault: FaultKind, rectifier: Rectifier | None, *, models: Pool, terms: Terms
) -> StaffedRun:
    """Run a system on an item under a fault, repaired by a rectifier where there is one, and score its answer.

    Parameters
    ----------
    models : Pool
        Every model has a price.

    Raises
    ------
    CostReached
        The limit on what the whole bench may cost stopped it: it then says nothing of the system.
    """
    try:
        setting = await _setting(plan, item, fault, models, terms)
        told = await _run(setting, rectifier, terms)
    except OrchestrationError as refused:
        return StaffedRun("invalid", str(refused))
    if was_refused(told.result):
        raise CostReached(told.result.error or "a call met the cost limit")
    outcome, why = await _outcome(told, item, terms.scorer)
    return StaffedRun(
        outcome=outcome,
        error=why,
        usage=_spent(span for span in told.trace if span.agent != RECTIFIER),
        repair_usage=_spent(span for span in told.trace if span.agent == RECTIFIER),
        seconds=told.result.seconds,
        n_repairs=len(told.repairs),
        told=told,
    )


def _failing_model(item: Item, fault: FaultKind, models: Pool, terms: Terms) -> str:
    """The model that fails for an item where the fault makes one fail."""
    return terms.failing or Random(f"{terms.seed}/{item.id}/{fault}/failing").choice(list(models))


async def _setting(plan: Orchestration, item: Item, fault: FaultKind, models: Pool, terms: Terms) -> Setting:
    """The system with its faults and bounds."""
    usual_usd = Decimal(0)
    if fault == "budget overrun":
        usual = await _run(Setting(plan, item.question, models), None, replace(terms, check=None))
        usual_usd = usual.usage.cost_usd or usual_usd
    failing = _failing_model(item, fault, models, terms)
    setting = under(fault, plan, item, models, seed=terms.seed, usual_usd=usual_usd, failing=failing)
    return replace(
        setting,
        budget=terms.budget if setting.budget == UNLIMITED else replace(terms.budget, usd=setting.budget.usd),
        repair_at=terms.repair_at if setting.repair_at == UNLIMITED else setting.repair_at,
    )


async def _run(setting: Setting, rectifier: Rectifier | None, terms: Terms) -> RepairedRun:
    return await run_with_repairs(
        setting.plan,
        setting.question,
        models=setting.models,
        rectifier=rectifier or RetryCall(),
        budget=setting.budget,
        repair_at=setting.repair_at,
        max_repairs=terms.max_repairs if rectifier else 0,
        check=terms.check,
        sampling=terms.sampling,
        sub_agents=setting.sub_agents,
        tools=setting.tools,
        rationale_chars=terms.rationale_chars,
    )


async def _outcome(told: RepairedRun, item: Item, scorer: Scorer) -> tuple[Outcome, str]:
    result = told.result
    if result.status != "done":
        return result.status, result.error or ""
    answered = Sample("", "", item.id, 0, "unparsed", result.answer, None, item.answer)
    scored = await graded(answered, item, scorer)
    return scored.outcome, scored.error or ""


def _spent(spans: Iterable[Span]) -> Usage:
    return sum((span.usage for span in spans), NOTHING)
