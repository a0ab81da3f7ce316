"""The state s_t of a run that has paused: what a rectifier sees (MAS², arXiv 2509.24323, section 3.1).

The published rectifier prompt shows the failing workflow and its traceback alone; here s_t is what the paper's
formalism makes of it, and the conditions that outlast an attempt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from masrepro.agents.agent import Output
from masrepro.models.model import Price, Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.budget import UNLIMITED, Budget
from masrepro.runtime.change import Again, Change
from masrepro.runtime.failure import Failure

RepairKind = Literal["local", "global", "again"]


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair.

    Parameters
    ----------
    before, after : Orchestration
    change : Change
        What the rectifier asked for.
    why : str
        What had gone wrong.
    usage : Usage
        What the rectifier spent on it.
    n_kept : int
        Finished outputs that were not run again.
    """

    before: Orchestration
    after: Orchestration
    change: Change
    why: str
    usage: Usage
    n_kept: int

    @property
    def kind(self) -> RepairKind:
        """``local``: edits of agents; ``global``: another system; ``again``: the same one."""
        if isinstance(self.change, Again):
            return "again"
        return "global" if isinstance(self.change, Orchestration) else "local"


@dataclass(frozen=True, slots=True)
class State:
    """A run that has paused.

    Parameters
    ----------
    question : str
    plan : Orchestration
        The system as it stands.
    outputs : mapping of str to Output
        Of the agents that have finished, by id.
    failures : tuple of Failure
        What went wrong in the attempt that has just ended, with typed causes.
    overspent : str or None
        The soft bound that was passed, in words.
    spent : Usage
        By the run so far, all attempts and repairs together.
    budget : Budget
        What the run may spend in all.
    models : mapping of str to Price or None
        The pool: price by name, None where it is unknown. ``default`` is an agent's without a backbone.
    tools : tuple of str
        Those that the run has.
    down_models, down_tools : frozenset of str
        Known to be down; a system that still needs one of them is not run.
    repairs : tuple of Repair
        Those before.
    """

    question: str
    plan: Orchestration
    outputs: Mapping[str, Output]
    failures: tuple[Failure, ...]
    spent: Usage
    models: Mapping[str, Price | None]
    default: str
    overspent: str | None = None
    budget: Budget = UNLIMITED
    tools: tuple[str, ...] = ()
    down_models: frozenset[str] = frozenset()
    down_tools: frozenset[str] = frozenset()
    repairs: tuple[Repair, ...] = ()

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Ids of the agents that have no output yet, or one that was found wrong."""
        failed = {failure.agent for failure in self.failures}
        return tuple(id for id in self.plan.order if id not in self.outputs or id in failed)

    @property
    def why(self) -> str:
        """What has gone wrong, in words."""
        return "; ".join([*map(str, self.failures), *([self.overspent] if self.overspent else [])])

    def backbone(self, id: str) -> str:
        """The pool's name of the model that an agent runs on."""
        return self.plan.agent(id).backbone or self.default


@dataclass(slots=True)
class Health:
    """Which back-ends and tools have failed in how many attempts in a row, and not worked for anybody since.

    Parameters
    ----------
    down_after : int
        Attempts after which one is known to be down.
    """

    down_after: int
    _models: Counter[str] = field(default_factory=Counter)
    _tools: Counter[str] = field(default_factory=Counter)

    def note(self, models: Iterable[tuple[str, bool]], tools: Iterable[tuple[str, bool]]) -> None:
        """An attempt has ended: every use of a model and of a tool in it by name, and whether it worked, in order."""
        _count(self._models, models)
        _count(self._tools, tools)

    @property
    def down_models(self) -> frozenset[str]:
        """Names of models that are known to be down."""
        return frozenset(name for name, n in self._models.items() if n >= self.down_after)

    @property
    def down_tools(self) -> frozenset[str]:
        """Names of tools that are known to be down."""
        return frozenset(name for name, n in self._tools.items() if n >= self.down_after)


def _count(counts: Counter[str], uses: Iterable[tuple[str, bool]]) -> None:
    failed = set()
    for name, worked in uses:
        if worked:
            del counts[name]
            failed.discard(name)
        else:
            failed.add(name)
    counts.update(failed)
