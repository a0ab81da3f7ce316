"""Rectifiers that do as they are told, for schedules of failure and repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from masrepro.agents import Call
from masrepro.models.model import Model
from masrepro.runtime import Change, State


@dataclass
class Scripted:
    """Answers with one change after the other, then with None; a callable is asked with the state."""

    changes: list[Change | Callable[[State], Change | None] | None]
    model: Model | None = None
    states: list[State] = field(default_factory=list)

    async def repair(self, state: State, call: Call) -> Change | None:
        self.states.append(state)
        change = self.changes.pop(0) if self.changes else None
        return change(state) if callable(change) else change
