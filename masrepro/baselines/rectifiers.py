"""Rectifiers that go by rules: what a trained one has to beat.

They spend nothing. Two of them do not repair at all: they try the same system again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from masrepro.agents.agent import Call
from masrepro.models.model import ModelError
from masrepro.runtime.change import Again, Change, Edit
from masrepro.runtime.failure import Failure
from masrepro.runtime.state import State
from masrepro.tools.tool import ToolFailure


@dataclass(frozen=True, slots=True)
class RetryCall:
    """Runs what failed once more, and keeps the rest."""

    model: ClassVar[None] = None

    async def repair(self, state: State, call: Call) -> Change | None:
        """The same system; past the soft bound alone there is nothing to try again."""
        return Again() if state.failures else None


@dataclass(frozen=True, slots=True)
class RerunFromScratch:
    """Forgets everything and begins again, as the published runtime does (MAS², its tracebacks)."""

    model: ClassVar[None] = None

    async def repair(self, state: State, call: Call) -> Change | None:
        """The same system from its beginning; past the soft bound alone that would only cost more."""
        return Again(from_scratch=True) if state.failures else None


@dataclass(frozen=True, slots=True)
class SwapFailed:
    """Puts the next of the pool in the place of what failed.

    A back-end or tool that is down is left by all agents that have not finished; a tool that was used wrongly, and a
    model whose output failed a check, by the agent concerned. Past the soft bound, whoever has not finished goes to the
    cheapest model.

    Parameters
    ----------
    everywhere : bool
        Agents that have finished leave it too: for a run that starts over after each repair.
    """

    model: ClassVar[None] = None
    everywhere: bool = False

    async def repair(self, state: State, call: Call) -> Change | None:
        """The edits; None where there is nothing to swap for."""
        concerned = state.plan.order if self.everywhere else state.unfinished
        backbones: dict[str, str] = {}
        tools: dict[str, tuple[str, ...]] = {}
        for failure in state.failures:
            agents = concerned if failure.takes_down else (failure.agent,)
            if failure.tool is not None:
                tools |= _other_tool(state, failure, agents)
            elif not isinstance(failure.cause, ToolFailure):
                backbones |= _other_backbone(state, failure, agents)
        if state.overspent is not None:
            backbones |= _cheapest(state, concerned)
        ids = [id for id in state.plan.order if id in backbones or id in tools]
        return [Edit(id, tools=tools.get(id), backbone=backbones.get(id)) for id in ids] or None


@dataclass(frozen=True, slots=True)
class RetryThenSwap:
    """Tries what failed once more, and swaps what fails again."""

    model: ClassVar[None] = None

    async def repair(self, state: State, call: Call) -> Change | None:
        """The same system; after that, as `SwapFailed` has it."""
        tried_again = bool(state.repairs) and state.repairs[-1].kind == "again"
        rule = RetryCall() if state.failures and not tried_again else SwapFailed()
        return await rule.repair(state, call)


def _other_backbone(state: State, failure: Failure, agents: Sequence[str]) -> dict[str, str]:
    """Model by agent."""
    failed = {f.backbone for f in state.failures if isinstance(f.cause, ModelError)}
    other = _next(failure.backbone, list(state.models), state.down_models | failed)
    return {} if other is None else {id: other for id in agents if state.backbone(id) == failure.backbone}


def _other_tool(state: State, failure: Failure, agents: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The tools of the agents that have the one that failed, with another in its place."""
    tool = failure.tool
    other = _next(tool, list(state.tools), state.down_tools)
    owners = {id: state.plan.agent(id).tools for id in agents if tool in state.plan.agent(id).tools}
    if other is None:
        return {}
    return {id: tuple(dict.fromkeys(other if own == tool else own for own in tools)) for id, tools in owners.items()}


def _cheapest(state: State, agents: Sequence[str]) -> dict[str, str]:
    prices = {
        name: price.prompt_usd + price.completion_usd
        for name, price in state.models.items()
        if price is not None and name not in state.down_models
    }
    if not prices:
        return {}
    cheapest = min(prices, key=prices.__getitem__)
    return {id: cheapest for id in agents if state.backbone(id) != cheapest}


def _next(name: str | None, names: Sequence[str], out: frozenset[str]) -> str | None:
    """The next of several after one, in turn, that is not out."""
    start = names.index(name) + 1 if name in names else 0
    return next((other for other in (*names[start:], *names[:start]) if other not in out and other != name), None)
