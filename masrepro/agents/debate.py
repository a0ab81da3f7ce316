"""Debate: named roles argue over rounds, and a judge decides (Du et al., arXiv 2305.14325).

MAS-Orchestra's DebateAgent: R roles that the orchestrator names, 5 rounds, temperature 0.5. From the second round on,
each debater sees what all said in the round before, its own words included; the judge sees the last round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from masrepro.agents.agent import Call, Input, Output, Task, standard_workflow
from masrepro.agents.cot import INSTRUCTIONS, THINKING, Thinking, cot_messages
from masrepro.agents.draws import apart, at_once
from masrepro.models.model import Message
from masrepro.orchestration.catalogue import Workflow
from masrepro.orchestration.plan import Agent

_DEBATER = (
    "You are one of several debaters. What each of you held in the round before stands below the question, as "
    "`From r1 (role): answer` and the reasons. Weigh the others' reasons, look for the faults in all of them, your own "
    "included, and keep or change your answer.\n"
)
_JUDGE = (
    "You judge a debate. What each debater held at the end stands below the question, as `From r1 (role): answer` and "
    "the reasons. Find out whose reasoning holds, whatever the number of voices, and give the answer.\n"
)


@dataclass(frozen=True, slots=True)
class Debate:
    """Let roles argue in rounds; a judge has the last word.

    Parameters
    ----------
    rounds : int
        Rounds, the first opinions included (paper: 5).
    temperature : float
        Of the debaters (paper: 0.5); the run's own where that is higher. The judge is drawn as the run says.
    rationale_chars : int
        Characters of each debater's reasoning that the others and the judge see.
    thinking : Thinking
        The debaters' use of tools; the judge has none.
    """

    workflow: ClassVar[Workflow] = standard_workflow("debate")
    rounds: int = 5
    temperature: float = 0.5
    rationale_chars: int = 400
    thinking: Thinking = THINKING

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ValueError(f"a debate needs at least one round, got rounds={self.rounds}")

    def n_calls(self, agent: Agent) -> int:
        """A chain of thought for each role and round, and one call for the judge; exact without tools."""
        return len(agent.roles) * self.rounds * self.thinking.n_calls(agent) + 1

    async def act(self, task: Task, call: Call) -> Output:
        """Debaters of one round speak at once; each round waits for the one before."""
        opinions: tuple[Output, ...] = ()
        for turn in range(self.rounds):
            opinions = await self._round(task, call, turn, opinions)
        messages = cot_messages(task, heard=self._heard(task, opinions), instructions=_JUDGE + INSTRUCTIONS)
        return await self.thinking.think(replace(task, tools={}), call, messages)

    async def _round(self, task: Task, call: Call, turn: int, before: Sequence[Output]) -> tuple[Output, ...]:
        roles = task.agent.roles
        draws = apart(call.sampling, f"{task.agent.id}/{turn}", len(roles), self.temperature)
        return await at_once(
            self.thinking.think(task, call, self._turn(task, role, before), **draw)
            for role, draw in zip(roles, draws, strict=True)
        )

    def _turn(self, task: Task, role: str, before: Sequence[Output]) -> tuple[Message, ...]:
        """What one debater is sent: in the first round CoT's own turn, then the opinions below it."""
        debater = replace(task.agent, role=f"{task.agent.role}, as the {role}" if task.agent.role else role)
        instructions = _DEBATER + INSTRUCTIONS if before else INSTRUCTIONS
        return cot_messages(replace(task, agent=debater), heard=self._heard(task, before), instructions=instructions)

    def _heard(self, task: Task, opinions: Sequence[Output]) -> tuple[Input, ...]:
        return tuple(
            Input(f"r{number}", role, opinion.answer, opinion.rationale[: self.rationale_chars])
            for number, (role, opinion) in enumerate(zip(task.agent.roles, opinions, strict=False), start=1)
        )
