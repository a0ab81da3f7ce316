"""Reflexion: solve, have a critic look at it, revise, until the critic is satisfied (Shinn et al., arXiv 2303.11366;
Madaan et al., arXiv 2303.17651).

MAS-Orchestra's ReflexionAgent: at most 5 rounds of critic and revision, 2 to 11 calls. There only the exact word
``True`` ends it. Here a critic is satisfied when it says so, or when the answer that it gives instead is the same one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from masrepro.agents.agent import Call, Input, Output, Task, standard_workflow
from masrepro.agents.cot import INSTRUCTIONS, THINKING, Thinking, cot_messages
from masrepro.agents.majority import normal_form
from masrepro.orchestration.catalogue import Workflow
from masrepro.orchestration.plan import Agent

SATISFIED = "satisfied"

_CRITIC = (
    "You are a critic. Somebody's answer to the question stands below it, as `From attempt: answer` and the reasons. "
    "Check every step anew. Then end with a last part that begins with `Answer:` at the start of a line: the word "
    f"`{SATISFIED}` alone if you find nothing to mend, or else what you hold to be the right answer, in \\boxed{{}}."
)
_REVISION = (
    "Your last answer stands below the question, as `From attempt: answer`, and what a critic makes of it, as `From "
    "critic: answer`, each with its reasons. The critic may be wrong too. Mend what has to be mended.\n"
)
_SATISFIED = re.compile(rf"\W*{SATISFIED}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reflexion:
    """Solve, criticise and revise. The turns differ by themselves, so all are drawn as the run says.

    Parameters
    ----------
    rounds : int
        Critic and revision, at most (paper: 5).
    rationale_chars : int
        Characters of the attempt's and of the critic's reasoning that are shown.
    thinking : Thinking
        The solver's use of tools; the critic has none.
    """

    workflow: ClassVar[Workflow] = standard_workflow("reflexion")
    rounds: int = 5
    rationale_chars: int = 2_000
    thinking: Thinking = THINKING

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ValueError(f"reflexion needs at least one round, got rounds={self.rounds}")

    def n_calls(self, agent: Agent) -> int:
        """The first attempt, then a critic and a revision for each round: 11 in the paper. At least 2 are made."""
        return self.thinking.n_calls(agent) * (1 + self.rounds) + self.rounds

    async def act(self, task: Task, call: Call) -> Output:
        """The last attempt; its rationale begins with whether the critic was satisfied in the end."""
        attempt = await self.thinking.think(task, call, cot_messages(task))
        for n_revisions in range(self.rounds):
            critique = await self._criticised(task, call, attempt)
            if is_satisfied(critique, attempt):
                return _said(attempt, f"The critic was satisfied after {n_revisions} of {self.rounds} revisions.")
            heard = (self._entry("attempt", attempt), self._entry("critic", critique))
            messages = cot_messages(task, heard=heard, instructions=_REVISION + INSTRUCTIONS)
            attempt = await self.thinking.think(task, call, messages)
        return _said(attempt, f"No critic has looked at this last of {self.rounds} revisions.")

    async def _criticised(self, task: Task, call: Call, attempt: Output) -> Output:
        messages = cot_messages(task, heard=(self._entry("attempt", attempt),), instructions=_CRITIC)
        return await self.thinking.think(replace(task, tools={}), call, messages)

    def _entry(self, source: str, output: Output) -> Input:
        return Input(source, "", output.answer, output.rationale[: self.rationale_chars])


def is_satisfied(critique: Output, attempt: Output) -> bool:
    """Whether a critic leaves an attempt as it is: its answer begins with the word, or is the attempt's own."""
    if critique.answer is None or attempt.answer is None:
        return False
    if _SATISFIED.match(critique.answer) or normal_form(critique.answer) == SATISFIED:
        return True
    return normal_form(critique.answer) == normal_form(attempt.answer)


def _said(attempt: Output, verdict: str) -> Output:
    return replace(attempt, rationale=f"{verdict}\n{attempt.rationale}".rstrip())
