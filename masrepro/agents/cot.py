r"""CoT: one chain-of-thought call (Wei et al., arXiv 2201.11903), the plainest sub-agent of MAS-Orchestra.

The user turn is fixed byte for byte, because the desk models are trained on exactly this text: the question,
one entry per input, the goal, with a blank line between the parts and empty parts left out. Workflows that ask more
than once keep to that form: what they have heard by then is further entries, what they want is in the system turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

from masrepro.agents.agent import Call, Input, Output, SamplingChange, Task, standard_workflow
from masrepro.agents.tool_use import converse, requested
from masrepro.models.model import Finish, Message
from masrepro.orchestration.catalogue import Workflow
from masrepro.orchestration.plan import Agent

INSTRUCTIONS = (
    "Think step by step. Then end with a last part that begins with `Answer:` at the start of a line and "
    "holds the answer alone, every final value in \\boxed{}."
)
NO_ANSWER = "no answer"

_REFERENCE = re.compile(r"\$\{(\w+)\}")
_BOXED = re.compile(r"\s*\\boxed\{(.*)\}\s*", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_DEPTH = {"{": 1, "}": -1}


@dataclass(frozen=True, slots=True)
class Thinking:
    """How one chain of thought may use tools, where its agent has some.

    Parameters
    ----------
    tool_turns : int
        Replies that may ask for tools before one must answer.
    result_chars : int
        Characters of each tool's result that are shown.
    native_tools : bool
        Ask through the back-end's native tool calls, which a server may have to be started for; otherwise in text.
    """

    tool_turns: int = 5
    result_chars: int = 4_000
    native_tools: bool = False

    def n_calls(self, agent: Agent) -> int:
        """Upper bound on the calls of one chain of thought: one, and one for each turn with tools."""
        return 1 + self.tool_turns if agent.tools else 1

    async def think(
        self, task: Task, call: Call, messages: Sequence[Message], **change: Unpack[SamplingChange]
    ) -> Output:
        """The answer to these messages; see `read_output`. A last reply that still asks for a tool holds none."""
        completion = await converse(
            messages,
            call,
            task.tools,
            turns=self.tool_turns,
            result_chars=self.result_chars,
            native=self.native_tools,
            change=change,
        )
        if task.tools and requested(completion):
            return Output(None, completion.text.strip(), completion.finish)
        return read_output(completion.text, completion.finish)


THINKING = Thinking()


@dataclass(frozen=True, slots=True)
class CoT:
    """Think step by step in one call, then answer.

    Parameters
    ----------
    thinking : Thinking
        Use of tools.
    """

    workflow: ClassVar[Workflow] = standard_workflow("cot")
    thinking: Thinking = THINKING

    def n_calls(self, agent: Agent) -> int:
        """One; with tools, at most one more for each turn that uses them."""
        return self.thinking.n_calls(agent)

    async def act(self, task: Task, call: Call) -> Output:
        """One call; see `cot_messages` for what is sent and `read_output` for what is made of the reply."""
        return await self.thinking.think(task, call, cot_messages(task))


def cot_messages(
    task: Task,
    rationale_chars: int | None = None,
    *,
    heard: Sequence[Input] = (),
    instructions: str = INSTRUCTIONS,
) -> tuple[Message, ...]:
    r"""The system and the user turn of a chain-of-thought call.

    Parameters
    ----------
    task : Task
        Question, agent and inputs. An answer that is exactly one ``\boxed{...}`` is unwrapped.
    rationale_chars : int or None
        Characters of each input's rationale that are kept, from its beginning; None keeps what the run
        delivered.
    heard : sequence of Input
        What the agent's own workflow has brought up by now: entries behind those of the inputs. A reference in the
        goal never means one of them.
    instructions : str
        What the system turn says below the role.

    Returns
    -------
    tuple of Message
        The user turn is ``{question}``, one entry ``From {source} ({payload}): {answer}`` per input, and
        ``Goal: {goal}``, with a blank line between the three parts; an empty part is left out.
    """
    goal = resolved_goal(task)
    parts = (
        task.question,
        "\n".join(entry(given, rationale_chars) for given in (*task.inputs, *heard)),
        f"Goal: {goal}" if goal else "",
    )
    role = f"Your role: {task.agent.role}\n" if task.agent.role else ""
    return (
        Message("system", role + instructions),
        Message("user", "\n\n".join(part for part in parts if part)),
    )


def entry(given: Input, rationale_chars: int | None = None) -> str:
    """What flowed in, as an agent reads it; see `cot_messages`."""
    payload = f" ({given.payload})" if given.payload else ""
    rationale = given.rationale[:rationale_chars].strip()
    return f"From {given.source}{payload}: {_shown(given.answer)}" + (f"\n{rationale}" if rationale else "")


def resolved_goal(task: Task) -> str:
    """The goal with each ``${source}`` replaced in one pass: an answer that looks like one stays data."""
    goal = task.agent.goal
    if "${" not in goal:
        return goal
    answers = {given.source: _shown(given.answer) for given in task.inputs}
    return _REFERENCE.sub(lambda found: answers.get(found[1], found[0]), goal)


def read_output(text: str, finish: Finish) -> Output:
    """The answer in a chain-of-thought reply: what follows the last line that begins with ``Answer:``.

    A reply without that marker is taken as a whole, unless it was cut off while still thinking: then it holds
    no answer, whatever values it mentions on the way. A blank answer is none.
    """
    rationale, marker, answer = f"\n{text}".rpartition("\nAnswer:")
    if marker:
        return Output(answer.strip() or None, rationale.strip(), finish)
    if finish == "length":
        return Output(None, text.strip(), finish)
    return Output(text.strip() or None, "", finish)


def unboxed(answer: str) -> str:
    r"""The content of an answer that is exactly one ``\boxed{...}``; any other answer unchanged."""
    boxed = _BOXED.fullmatch(answer)
    if boxed is None:
        return answer
    depth = 0
    for brace in _BRACE.findall(boxed[1]):
        depth += _DEPTH.get(brace, 0)
        if depth < 0:
            return answer
    return boxed[1].strip() if depth == 0 else answer


def _shown(answer: str | None) -> str:
    return NO_ANSWER if answer is None else unboxed(answer)
