"""Agents that have to fetch the question with a tool: desk solvers know no tools, so that their workflow uses one.

For the fault bench: a system whose tools fail. What is fetched is put to the solver in the place of the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from masrepro.agents import AgentFailed, Call, Output, Task, cot_messages, standard_workflow
from masrepro.agents.cot import THINKING
from masrepro.orchestration.catalogue import Workflow
from masrepro.orchestration.plan import Agent
from masrepro.tools.tool import Arguments, ToolResult, UseFailed, attempt, schema

QUESTION = "question"
"""The page on which the question stands."""


@dataclass(frozen=True, slots=True)
class Page:
    """A tool that gives the question's text."""

    name: str
    text: str
    description: ClassVar[str] = "Gives the text of a page."
    parameters: ClassVar[Mapping[str, Any]] = schema({"page": {"type": "string", "description": "the page's name"}})

    async def use(self, arguments: Arguments) -> ToolResult:
        """The text of the page that was asked for."""
        return await attempt(self, arguments, self._read)

    async def _read(self, arguments: Arguments) -> str:
        if arguments["page"] != QUESTION:
            raise UseFailed("not_found", f"there is no page {arguments['page']!r}; there is {QUESTION!r}")
        return self.text


@dataclass(frozen=True, slots=True)
class PageReader:
    """Chain of thought on what the agent's tools give; without tools, on the question itself."""

    workflow: ClassVar[Workflow] = standard_workflow("cot")

    def n_calls(self, agent: Agent) -> int:
        """One."""
        return 1

    async def act(self, task: Task, call: Call) -> Output:
        """Fetch the question, then think.

        Raises
        ------
        AgentFailed
            A tool gave nothing.
        """
        question = task.question
        for name, tool in task.tools.items():
            result = await tool.use({"page": QUESTION})
            if result.failure is not None:
                raise AgentFailed(f"the tool {name} failed: {result.failure}", result.failure)
            question = result.text
        plain = replace(task, question=question, tools={})
        return await THINKING.think(plain, call, cot_messages(plain))
