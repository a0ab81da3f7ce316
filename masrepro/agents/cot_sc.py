"""CoT-SC: several chains of thought and the majority of their answers (Wang et al., arXiv 2203.11171).

MAS-Orchestra's SCAgent draws 5 samples at temperature 0.5 and counts raw strings; here answers are counted in a normal
form (`majority`), and a tie is stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from masrepro.agents.agent import Call, Output, Task, standard_workflow
from masrepro.agents.cot import THINKING, Thinking, cot_messages
from masrepro.agents.draws import apart, at_once
from masrepro.agents.majority import majority
from masrepro.orchestration.catalogue import Workflow
from masrepro.orchestration.plan import Agent


@dataclass(frozen=True, slots=True)
class CoTSC:
    """Think several times at once and take the majority answer.

    Parameters
    ----------
    n : int
        Samples (paper: 5).
    temperature : float
        Of the samples (paper: 0.5); the run's own where that is higher.
    thinking : Thinking
        Use of tools within one sample.
    """

    workflow: ClassVar[Workflow] = standard_workflow("cot_sc")
    n: int = 5
    temperature: float = 0.5
    thinking: Thinking = THINKING

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"cot_sc needs at least one sample, got n={self.n}")

    def n_calls(self, agent: Agent) -> int:
        """``n`` chains of thought; exact without tools."""
        return self.n * self.thinking.n_calls(agent)

    async def act(self, task: Task, call: Call) -> Output:
        """All samples have the same prompt, that of CoT, and seeds of their own."""
        messages = cot_messages(task)
        draws = apart(call.sampling, task.agent.id, self.n, self.temperature)
        samples = await at_once(self.thinking.think(task, call, messages, **draw) for draw in draws)
        vote = majority(samples)
        if vote.winner is None:
            cut_off = any(sample.finish == "length" for sample in samples)
            return Output(None, str(vote), "length" if cut_off else "stop")
        return Output(vote.winner.answer, f"{vote}\n{vote.winner.rationale}".rstrip(), vote.winner.finish)
