"""Deep research: plan, search, read, note, and decide when it is enough.

MAS-Orchestra's search agent: at most 5 iterations with 5 hits a query, pages cut at 10,000 characters and digested by
the same model (after Open Deep Research). Between iterations only the notes are kept, so that the prompt stays bounded
however much is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from masrepro.agents.agent import AgentFailed, Call, Input, Output, Task, standard_workflow
from masrepro.agents.cot import INSTRUCTIONS, cot_messages, read_output, resolved_goal
from masrepro.agents.draws import at_once
from masrepro.agents.tool_use import ToolRequest, offered, requested, shown, use
from masrepro.orchestration.catalogue import Workflow
from masrepro.orchestration.plan import Agent
from masrepro.tools.tool import ToolResult

SEARCH = "search"
_QUERY_CHARS = 400

_PLAN = (
    "You do research for the question. Your notes so far stand below it, as `From notes: ...`. Decide what is still "
    "missing and ask for it with the tools: short queries, one fact each. If nothing is missing, use no tool and "
    "answer from the notes.\n"
)
_NOTE = (
    "You do research for the question. Below it stands what the tools have just given, as `From search (query): ...` "
    "and the like. Write down, in a few lines, what helps with the question, each fact with the title and the id of "
    "its source, and which page is worth opening. If nothing helps, say what to look for instead. Nothing else is kept."
)
_REPORT = (
    "You have done research for the question. Your notes stand below it, as `From notes: ...`. Answer from them.\n"
)


@dataclass(frozen=True, slots=True)
class DeepResearch:
    """Search and read in iterations, with notes in between.

    Parameters
    ----------
    iterations : int
        Rounds of plan, search and notes, at most (paper: 5).
    hits : int
        Passages asked for with each query (paper: 5).
    uses : int
        Tools used in one iteration, at most (paper: 5).
    tries : int
        Times that a search which fails is tried; then the agent fails.
    pause_s : float
        Seconds before the second try, doubled before each later one.
    result_chars : int
        Characters of each tool's result that are read (paper: 10,000).
    read_chars : int
        Characters of all results of one iteration together; each then gets an equal share.
    note_chars : int
        Characters of one iteration's notes that are kept.
    native_tools : bool
        Ask through the back-end's native tool calls; otherwise in text.
    """

    workflow: ClassVar[Workflow] = standard_workflow("deep_research")
    iterations: int = 5
    hits: int = 5
    uses: int = 5
    tries: int = 3
    pause_s: float = 0.5
    result_chars: int = 10_000
    read_chars: int = 30_000
    note_chars: int = 2_000
    native_tools: bool = False

    def __post_init__(self) -> None:
        for name in ("iterations", "hits", "uses", "tries"):
            if getattr(self, name) < 1:
                raise ValueError(f"deep_research needs {name} of at least 1, got {getattr(self, name)}")

    def needs_tools(self, agent: Agent) -> tuple[str, ...]:
        """``search`` and the listed ones; where none is listed, ``search`` and ``open_page``."""
        return tuple(dict.fromkeys((SEARCH, *(agent.tools or ("open_page",)))))

    def n_calls(self, agent: Agent) -> int:
        """Upper bound: a plan and notes for each iteration, and the report. At least 3 are made."""
        return 2 * self.iterations + 1

    async def act(self, task: Task, call: Call) -> Output:
        """Research until a plan asks for nothing more; the first one is answered with a search in any case.

        Raises
        ------
        AgentFailed
            A search has failed ``tries`` times.
        """
        notes: list[Input] = []
        for iteration in range(1, self.iterations + 1):
            messages = cot_messages(task, heard=notes, instructions=_PLAN + INSTRUCTIONS)
            offer = offered(messages, task.tools, call, self.native_tools)
            plan = await call(offer.messages, **offer.change)
            requests = requested(plan, self.uses)
            if not requests and notes:
                answered = read_output(plan.text, plan.finish)
                if answered.answer is not None:
                    return answered
                break
            requests = requests or (_first_search(task),)
            results = await at_once(self._used(task, request) for request in requests)
            notes.append(await self._noted(task, call, iteration, notes, list(zip(requests, results, strict=True))))
        report = await call(cot_messages(task, heard=notes, instructions=_REPORT + INSTRUCTIONS))
        if requested(report):
            return Output(None, report.text.strip(), report.finish)
        return read_output(report.text, report.finish)

    async def _used(self, task: Task, request: ToolRequest) -> ToolResult:
        """One use; a search that fails is tried again, and fails the agent in the end: nothing can stand in for it."""
        if request.tool != SEARCH or request.arguments is None:
            return await use(request, task.tools)
        request = replace(request, arguments={**request.arguments, "hits": self.hits})
        for n_failed in range(1, self.tries + 1):
            result = await use(request, task.tools)
            if result.failure is None or result.failure.kind == "bad_arguments":
                break
            if n_failed == self.tries:
                raise AgentFailed(f"the tool {SEARCH} failed {n_failed} times: {result.failure}", result.failure)
            await asyncio.sleep(self.pause_s * 2 ** (n_failed - 1))
        return result

    async def _noted(
        self,
        task: Task,
        call: Call,
        iteration: int,
        notes: Sequence[Input],
        found: Sequence[tuple[ToolRequest, ToolResult]],
    ) -> Input:
        """What the model writes down of the results."""
        chars = min(self.result_chars, self.read_chars // len(found))
        read = (Input(request.tool, _asked(request), shown(result, chars)) for request, result in found)
        noted = await call(cot_messages(task, heard=(*notes, *read), instructions=_NOTE))
        return Input("notes", f"iteration {iteration}", noted.text.strip()[: self.note_chars])


def _first_search(task: Task) -> ToolRequest:
    return ToolRequest(SEARCH, {"query": (resolved_goal(task) or task.question)[:_QUERY_CHARS]})


def _asked(request: ToolRequest) -> str:
    """The arguments of a request in words, without their names."""
    return ", ".join(str(value) for value in (request.arguments or {}).values())[:_QUERY_CHARS]
