"""The fault bench: what a system is worth when something goes wrong, by kind of fault and by what is done about it.

The evidence that MAS² (arXiv 2509.24323) lacks for its rectifier. All policies meet the same faults on the same items
(`fault_setting`). Not here: intervals and tables (`masrepro.report.fault_bench`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from masrepro.baselines.rectifiers import RerunFromScratch, RetryCall, RetryThenSwap, SwapFailed
from masrepro.baselines.system import System
from masrepro.bench import Item, score
from masrepro.lab.fault_setting import FAULTS, FaultKind, Setting, under
from masrepro.lab.remembered import require_prices
from masrepro.lab.workers import work_through
from masrepro.models.model import Pool, Sampling, Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime import Check, Rectifier, RepairedRun, run_with_repairs

NO_REPAIR, RETRY, RESTART, RESUME = "no repair", "retry the call", "swap, restart", "swap, resume"
"""Policies that are compared with one another: the last two swap alike, and differ in what becomes of finished work."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What is done about failures.

    Parameters
    ----------
    rectifier : Rectifier
    resumes : bool
        Whether finished work that a repair leaves unchanged is kept.
    max_repairs : int
        Times that the rectifier is asked, at most; 0 for no repair.
    down_after : int
        Attempts after which what failed in each is left alone.
    """

    rectifier: Rectifier
    resumes: bool = True
    max_repairs: int = 3
    down_after: int = 2


def policies(max_repairs: int = 3, model: Rectifier | None = None) -> dict[str, Policy]:
    """The policies that are compared, by name; with a model's own where one is given.

    Those that only try again may do so as often as others may repair, whatever is down.
    """
    stubborn = max_repairs + 2
    named = {
        NO_REPAIR: Policy(RetryCall(), max_repairs=0),
        RETRY: Policy(RetryCall(), max_repairs=max_repairs, down_after=stubborn),
        "rerun from scratch": Policy(RerunFromScratch(), max_repairs=max_repairs, down_after=stubborn),
        RESTART: Policy(SwapFailed(everywhere=True), resumes=False, max_repairs=max_repairs),
        RESUME: Policy(SwapFailed(), max_repairs=max_repairs),
        "retry, then swap": Policy(RetryThenSwap(), max_repairs=max_repairs),
    }
    return named | ({"model, resume": Policy(model, max_repairs=max_repairs)} if model is not None else {})


@dataclass(frozen=True, slots=True)
class FaultRun:
    """What came of one item under one fault and one policy.

    ``cost_ratio`` is its cost over that of the same system on the same item without faults and repairs.
    """

    fault: FaultKind
    policy: str
    benchmark: str
    item_id: str
    correct: bool
    status: str
    ended: str
    usage: Usage
    cost_ratio: float
    n_repairs: int
    n_attempts: int


async def run_fault_bench(
    items: Mapping[str, Sequence[Item]],
    system: System,
    *,
    models: Pool,
    policies: Mapping[str, Policy],
    faults: Sequence[FaultKind] = FAULTS,
    check: Check | None = None,
    seed: int = 1,
    sampling: Sampling = Sampling(),
    concurrency: int = 64,
    progress: Callable[[int, int], None] | None = None,
) -> list[FaultRun]:
    """Every item under every fault and policy.

    Parameters
    ----------
    items : mapping of str to sequence of Item
        By benchmark.
    system : System
        Whose designs run; their agents on the pool's default.
    models : Pool
        Every model has a price; the others are what a repair may swap to.
    policies, faults
        What is compared, and under what.
    check : callable or None
        Looks at every output, whatever the fault and the policy.
    seed : int
        Of the schedules.
    sampling : Sampling
        Of every call. Greedy, so that policies differ in nothing but what they do.
    concurrency : int
        Runs at once.
    progress : callable or None
        Called as ``progress(finished, total)`` after every run.

    Returns
    -------
    list of FaultRun
        By fault, policy and item, in the order given.

    Raises
    ------
    ValueError
        A model has no price, so that costs cannot be compared.
    """
    require_prices(models)
    placed = [(benchmark, item) for benchmark, own in items.items() for item in own]
    plans = {item.id: system.design(item) for _, item in placed}
    free_of_faults: dict[str, Decimal] = {}
    done: dict[tuple[FaultKind, str, str], FaultRun] = {}

    async def measure(place: tuple[str, Item]) -> None:
        _, item = place
        setting = Setting(plans[item.id], item.question, models)
        run = await _run(setting, Policy(RetryCall(), max_repairs=0), None, sampling)
        free_of_faults[item.id] = run.usage.cost_usd or Decimal(0)

    async def work(job: tuple[FaultKind, str, str, Item]) -> None:
        fault, policy, benchmark, item = job
        usual = free_of_faults[item.id]
        setting = under(fault, plans[item.id], item, models, seed=seed, usual_usd=usual)
        run = await _run(setting, policies[policy], check, sampling)
        done[fault, policy, item.id] = _outcome(run, fault, policy, benchmark, item, usual)
        if progress is not None:
            progress(len(done), len(jobs))

    jobs = [(fault, policy, benchmark, item) for fault in faults for policy in policies for benchmark, item in placed]
    await work_through(placed, measure, concurrency)
    await work_through(jobs, work, concurrency)
    return [done[fault, policy, item.id] for fault, policy, _, item in jobs]


async def tell(
    fault: FaultKind,
    plan: Orchestration,
    item: Item,
    models: Pool,
    policy: Policy,
    *,
    check: Check | None = None,
    seed: int = 1,
    sampling: Sampling = Sampling(),
) -> RepairedRun:
    """One run of `run_fault_bench` with all that happened in it; arguments as there."""
    usual = await _run(Setting(plan, item.question, models), Policy(RetryCall(), max_repairs=0), None, sampling)
    setting = under(fault, plan, item, models, seed=seed, usual_usd=usual.usage.cost_usd or Decimal(0))
    return await _run(setting, policy, check, sampling)


async def _run(setting: Setting, policy: Policy, check: Check | None, sampling: Sampling) -> RepairedRun:
    return await run_with_repairs(
        setting.plan,
        setting.question,
        models=setting.models,
        rectifier=policy.rectifier,
        budget=setting.budget,
        repair_at=setting.repair_at,
        max_repairs=policy.max_repairs,
        check=check,
        resume=policy.resumes,
        down_after=policy.down_after,
        sampling=sampling,
        sub_agents=setting.sub_agents,
        tools=setting.tools,
        rationale_chars=0,
    )


def _outcome(
    run: RepairedRun, fault: FaultKind, policy: str, benchmark: str, item: Item, usual_usd: Decimal
) -> FaultRun:
    answer = run.result.answer
    cost = run.usage.cost_usd
    assert cost is not None, "every model has a price, and no call is cut off"
    return FaultRun(
        fault=fault,
        policy=policy,
        benchmark=benchmark,
        item_id=item.id,
        correct=answer is not None and score(item.scorer, answer, item.answer).outcome == "correct",
        status=run.result.status,
        ended=run.ended,
        usage=run.usage,
        cost_ratio=float(cost / usual_usd) if usual_usd else 1.0,
        n_repairs=len(run.repairs),
        n_attempts=run.n_attempts,
    )
