"""What a notation has read, before the rules of the whole are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from masrepro.orchestration.errors import OrchestrationError, Subject, shortened
from masrepro.orchestration.plan import Agent, Flow

Mark = TypeVar("Mark")


@dataclass(slots=True)
class Draft(Generic[Mark]):
    """Agents and flows in the order of the text, each with a mark of where it stood.

    Parameters
    ----------
    locate : callable
        Turns a mark into line and column. Marks are cheap and locating is not: it is done for an error only.
    """

    locate: Callable[[Mark], str]
    agents: list[Agent] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    answer: str | None = None
    warnings: list[str] = field(default_factory=list)
    agent_marks: list[Mark] = field(default_factory=list)
    flow_marks: list[Mark] = field(default_factory=list)
    answer_marks: list[Mark] = field(default_factory=list)

    def add(self, part: Agent | Flow | str, mark: Mark) -> None:
        """Append an agent, a flow or a direct answer. Raises OrchestrationError for a second answer."""
        if isinstance(part, Agent):
            self.agents.append(part)
            self.agent_marks.append(mark)
        elif isinstance(part, Flow):
            self.flows.append(part)
            self.flow_marks.append(mark)
        elif self.answer is None:
            self.answer = part
            self.answer_marks.append(mark)
        else:
            place = self.locate(mark)
            raise OrchestrationError("repeated-answer", "there is a second direct answer", place, "Answer once.")

    def warn(self, warning: str) -> None:
        """Record a leniency."""
        self.warnings.append(shortened(warning))

    def place(self, subject: Subject) -> str:
        """Where a part stood in the text."""
        kind, index = subject
        marks = {"agent": self.agent_marks, "flow": self.flow_marks, "answer": self.answer_marks}[kind]
        return self.locate(marks[index])
