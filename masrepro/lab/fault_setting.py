"""A system under a fault: which back-end, tool, budget or answer goes wrong, and when.

Every fault follows a schedule that depends on seed, item and kind alone. Not here: what is done about it
(`fault_bench`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random
from typing import Literal, get_args

from masrepro.agents.agent import SubAgent
from masrepro.bench import Item
from masrepro.lab.page_reader import Page, PageReader
from masrepro.models import faults as of_models
from masrepro.models.model import MalformedReply, Model, Pool
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime import Budget
from masrepro.runtime.budget import UNLIMITED
from masrepro.tools import faults as of_tools
from masrepro.tools.python import Python
from masrepro.tools.tool import Tool
from masrepro.train.desk_words import COPY, ELSEWHERE, PAGE

FaultKind = Literal[
    "none",
    "back-end down",
    "back-end fails once",
    "back-end fails 3 times",
    "malformed reply",
    "tool down",
    "tool fails once",
    "tool fails 3 times",
    "wrong tool",
    "budget overrun",
    "silent corruption",
]
FAULTS: tuple[FaultKind, ...] = get_args(FaultKind)
OF_MODELS: frozenset[FaultKind] = frozenset(
    ("back-end down", "back-end fails once", "back-end fails 3 times", "malformed reply", "silent corruption")
)
"""Those in which one model of the pool fails."""
N_TIMES = 3
HARD_SHARE, SOFT_SHARE = Decimal("0.8"), Decimal("0.3")
"""Of a fault-free run's cost: what an overrunning one may cost in all, and where it pauses for a repair."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An item's system with everything that a run of it needs, its faults included. Good for one run."""

    plan: Orchestration
    question: str
    models: Pool
    tools: Mapping[str, Tool] = field(default_factory=dict)
    sub_agents: Mapping[str, SubAgent] | None = None
    budget: Budget = UNLIMITED
    repair_at: Budget = UNLIMITED


def under(
    fault: FaultKind,
    plan: Orchestration,
    item: Item,
    models: Pool,
    *,
    seed: int,
    usual_usd: Decimal,
    failing: str | None = None,
) -> Setting:
    """A system under a kind of fault: which call or use it strikes depends on seed, item and kind alone.

    Parameters
    ----------
    plan, item, models
        What runs where nothing goes wrong.
    usual_usd : Decimal
        What it then costs.
    failing : str or None
        The model of the pool that fails, where one does; None: its default. One of its first calls is struck, of which
        it has as many as agents run on it; with none of them on it nothing fails.

    Raises
    ------
    ValueError
        That model is not in the pool.
    """
    name = failing or models.default
    if name not in models:
        raise ValueError(f"the model that is to fail, {name!r}, is not in the pool: {', '.join(models)}")
    concerned = (
        plan.agents if fault not in OF_MODELS else [a for a in plan.agents if (a.backbone or models.default) == name]
    )
    rng = Random(f"{seed}/{item.id}/{fault}")
    struck = rng.randrange(max(1, len(concerned)))
    plain = Setting(plan, item.question, models)
    match fault:
        case "none":
            return plain
        case "back-end down":
            return _failing(plain, name, of_models.down(struck))
        case "back-end fails once":
            return _failing(plain, name, of_models.some(struck))
        case "back-end fails 3 times":
            return _failing(plain, name, of_models.some(struck, N_TIMES))
        case "malformed reply":
            return _failing(plain, name, of_models.some(struck, error=MalformedReply))
        case "silent corruption":
            return _failing(plain, name, of_models.lying(struck), rng.randrange(2**31))
        case "tool down":
            return _reading(plain, of_tools.after(struck, of_tools.down()))
        case "tool fails once":
            return _reading(plain, of_tools.after(struck, of_tools.at_first(1)))
        case "tool fails 3 times":
            return _reading(plain, of_tools.after(struck, of_tools.at_first(N_TIMES)))
        case "wrong tool":
            return _with_wrong_tool(_reading(plain, of_tools.at_first(0)), struck)
        case "budget overrun":
            return replace(
                plain, budget=Budget(usd=HARD_SHARE * usual_usd), repair_at=Budget(usd=SOFT_SHARE * usual_usd)
            )


def _failing(setting: Setting, name: str, schedule: of_models.Schedule, seed: int = 0) -> Setting:
    """The same, with a model of that name that fails."""
    pool = setting.models
    failing: dict[str, Model] = {name: of_models.Failing(pool[name], schedule, seed)}
    return replace(setting, models=Pool({**pool, **failing}, pool.default))


def _reading(setting: Setting, schedule: of_tools.Schedule) -> Setting:
    """The same, where every agent has to fetch the question with a tool that fails; another has a copy of it."""
    agents = tuple(replace(agent, tools=(PAGE,)) for agent in setting.plan.agents)
    page = of_tools.Failing(Page(PAGE, setting.question), schedule)
    return replace(
        setting,
        plan=replace(setting.plan, agents=agents),
        question=ELSEWHERE,
        tools={PAGE: page, COPY: Page(COPY, setting.question), Python.name: Python()},
        sub_agents={"cot": PageReader()},
    )


def _with_wrong_tool(setting: Setting, struck: int) -> Setting:
    """The same, where one agent was given a tool that cannot do its job."""
    agents = tuple(
        replace(agent, tools=(Python.name,)) if place == struck else agent
        for place, agent in enumerate(setting.plan.agents)
    )
    return replace(setting, plan=replace(setting.plan, agents=agents))
