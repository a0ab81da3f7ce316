"""What an orchestrator may draw on: workflows and tools by name. Signatures only; the code that runs them is
elsewhere.

The standard workflows are the sub-agents of MAS-Orchestra (arXiv 2601.14652, section 4): CoT, CoT with
self-consistency, debate, Reflexion and deep research.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

from masrepro.orchestration.dom import DoM
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Agent
from masrepro.orchestration.signature import PRIMITIVES, Primitive


@dataclass(frozen=True, slots=True)
class Workflow:
    """How a sub-agent works, as seen from outside.

    Parameters
    ----------
    name : str
        Its name in `Agent.workflow`.
    title : str
        For people.
    description : str
        For the model that chooses.
    xml_name : str
        Its name in the ``xml`` notation, which is the authors'.
    needs_roles : bool
        Whether it takes (and then needs) two or more debaters in `Agent.roles`.
    takes_tools : bool
        Whether `Agent.tools` may name any.
    """

    name: str
    title: str
    description: str
    xml_name: str
    needs_roles: bool = False
    takes_tools: bool = True


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, as seen by the model that chooses it."""

    name: str
    description: str


@dataclass(frozen=True)
class Catalogue:
    """The workflows and tools that an orchestration may name."""

    workflows: tuple[Workflow, ...]
    tools: tuple[Tool, ...] = ()

    def with_workflow(self, workflow: Workflow) -> Catalogue:
        """A catalogue that holds one workflow more. Raises ValueError if either of its names is taken."""
        for known in self.workflows:
            if workflow.name == known.name or workflow.xml_name == known.xml_name:
                raise ValueError(f"a workflow {known.name!r} ({known.xml_name}) is in the catalogue already")
        return replace(self, workflows=(*self.workflows, workflow))

    def with_tool(self, tool: Tool) -> Catalogue:
        """A catalogue that holds one tool more. Raises ValueError if its name is taken."""
        if tool.name in self._tool_names:
            raise ValueError(f"a tool {tool.name!r} is in the catalogue already")
        return replace(self, tools=(*self.tools, tool))

    def workflow(self, name: str) -> Workflow | None:
        """The workflow of that name, or None."""
        return self._by_name.get(name)

    def workflow_of_xml(self, xml_name: str) -> Workflow | None:
        """The workflow that the ``xml`` notation calls so, or None."""
        return self._by_xml_name.get(xml_name)

    def check(self, agents: Sequence[Agent]) -> None:
        """Hold agents against the catalogue.

        Raises
        ------
        OrchestrationError
            The first agent that names an unknown workflow or tool, or whose roles or tools its workflow
            cannot use.
        """
        for index, agent in enumerate(agents):
            workflow = self._by_name.get(agent.workflow)
            if workflow is None:
                raise self._unknown("workflow", agent.workflow, agent, index)
            for tool in agent.tools:
                if tool not in self._tool_names:
                    raise self._unknown("tool", tool, agent, index)
            if agent.tools and not workflow.takes_tools:
                raise _misfit("no-tools", f"{workflow.name} uses no tools", "Leave tools out.", agent, index)
            if agent.roles and not workflow.needs_roles:
                raise _misfit("no-roles", f"{workflow.name} has no roles", "Leave roles out.", agent, index)
            if workflow.needs_roles and (len(agent.roles) < 2 or any(len(role.strip()) < 2 for role in agent.roles)):
                what = f"{workflow.name} needs two or more roles with a name, not {list(agent.roles)}"
                raise _misfit("too-few-roles", what, "Name who argues, e.g. a proponent and a critic.", agent, index)

    def tool_schemas(self, dom: DoM = DoM.HIGH) -> list[dict[str, Any]]:
        """The primitives as OpenAI tool schemas, with the names of this catalogue as enumerations.

        ``answer`` is offered at `DoM.LOW` and ``create_flow`` above it, as the paper's prompts do, and ``answer``
        alone where there may be no agents; the parser's own bound is `dom` and no more.
        """
        offered = {"create_agent", "answer"} if dom == DoM.LOW else {"create_agent", "create_flow"}
        offered = {"answer"} if dom.max_agents == 0 else offered
        return [self._schema(primitive) for primitive in PRIMITIVES.values() if primitive.name in offered]

    def _schema(self, primitive: Primitive) -> dict[str, Any]:
        names = {"workflow": [w.name for w in self.workflows], "tools": [tool.name for tool in self.tools]}
        properties: dict[str, Any] = {}
        for parameter in primitive.parameters:
            text: dict[str, Any] = {"type": "string"}
            if parameter.name in names:
                text["enum"] = names[parameter.name]
            schema = text if parameter.kind == "text" else {"type": "array", "items": text}
            properties[parameter.name] = {**schema, "description": parameter.description}
        if "workflow" in properties:
            properties["workflow"]["description"] += " " + " ".join(
                f"{w.name}: {w.description}" for w in self.workflows
            )
        return {
            "type": "function",
            "function": {
                "name": primitive.name,
                "description": primitive.description,
                "parameters": {
                    "type": "object",
                    "properties": properties,
                    "required": [parameter.name for parameter in primitive.parameters if parameter.required],
                    "additionalProperties": False,
                },
            },
        }

    def _unknown(self, kind: Literal["workflow", "tool"], name: str, agent: Agent, index: int) -> OrchestrationError:
        known = [w.name for w in self.workflows] if kind == "workflow" else [tool.name for tool in self.tools]
        near = get_close_matches(name, known, n=1)
        by_other_name = self._by_xml_name.get(name)
        meant = by_other_name.name if by_other_name else near[0] if near else None
        hint = f"Use one of {', '.join(known)}." if known else f"Leave {kind} out."
        hint = f"Did you mean {meant!r}? {hint}" if meant else hint
        return _misfit(f"unknown-{kind}", f"there is no {kind} {name!r}", hint, agent, index)

    @cached_property
    def _by_name(self) -> dict[str, Workflow]:
        return {workflow.name: workflow for workflow in self.workflows}

    @cached_property
    def _by_xml_name(self) -> dict[str, Workflow]:
        return {workflow.xml_name: workflow for workflow in self.workflows}

    @cached_property
    def _tool_names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools)


def _misfit(rule: str, what: str, hint: str, agent: Agent, index: int) -> OrchestrationError:
    return OrchestrationError(rule, what, f"agent {agent.id!r}", hint, ("agent", index))


STANDARD = Catalogue(
    workflows=(
        Workflow("cot", "Chain of thought", "Thinks step by step and answers once.", "CoTAgent"),
        Workflow("cot_sc", "Self-consistency", "Thinks several times and takes the majority answer.", "SCAgent"),
        Workflow(
            "debate",
            "Debate",
            "Lets two or more named roles argue over rounds; a judge decides.",
            "DebateAgent",
            needs_roles=True,
        ),
        Workflow("reflexion", "Reflexion", "Answers, criticises its answer and revises it.", "ReflexionAgent"),
        Workflow(
            "deep_research",
            "Deep research",
            "Searches, reads pages and reports what it found.",
            "WebSearchAgent",
        ),
    ),
    tools=(
        Tool("search", "Search an index or the web for passages."),
        Tool("open_page", "Read one page that a search has found."),
        Tool("python", "Run Python code in a sandbox and see what it prints."),
        Tool("browser", "Move about a web site as a person would."),
    ),
)
