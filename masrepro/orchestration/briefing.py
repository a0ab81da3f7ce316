"""What an orchestrator is told: the rules of the ``calls`` notation, what it may draw on, and the question.

The first turn holds the rules, for models that follow instructions. The second holds the question, the degree of MAS
and the names of the workflows, and is all that a model needs which knows the notation. MAS-Orchestra shows its
orchestrator the source code of every sub-agent; here sub-agents stay black boxes with a signature.
"""

from __future__ import annotations

from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM

_EXAMPLE = """\
create_agent(id="a1", role="historian", goal="Find the year in which the bridge was opened.", workflow="cot")
create_agent(id="a2", role="writer", goal="Give the final answer.", workflow="cot")
create_flow(source="a1", target="a2", payload="the year")"""
_TURNS_EXAMPLE = """\
create_agent(id="a1", role="historian", goal="Find the year in which the bridge was opened.", workflow="cot")
You are told: From a1: 1932. Your next turn:
create_agent(id="a2", role="writer", goal="Give the final answer.", workflow="cot")
create_flow(source="a1", target="a2", payload="the year")
You are told: From a2: In 1932. Your last turn:
answer(text="${a2}")"""
_CREATE_AGENT = 'create_agent(id="...", role="...", goal="...", workflow="...", tools=[...], roles=[...])'


def rules(catalogue: Catalogue = STANDARD) -> str:
    """The notation and what it may name, for a model that has never seen it."""
    parts = (
        "Design a team of agents that answers the question. Write nothing but calls, one on a line:",
        f'{_CREATE_AGENT}\ncreate_flow(source="...", target="...", payload="what is handed on")',
        "Every agent sees the question, its goal, and what flows into it. Flows join agents that were created before, "
        "form no cycle, and all lead to one last agent, whose answer is the team's. Leave out tools and roles that are "
        'not needed. To answer without agents, write answer(text="...") alone.',
        *_offered(catalogue),
        f"Example:\n{_EXAMPLE}",
    )
    return "\n\n".join(parts)


def turn_rules(catalogue: Catalogue = STANDARD) -> str:
    """The same for a model that builds turn by turn (`masrepro.orchestration.turns`)."""
    parts = (
        "Build a team of agents that answers the question, one agent a turn. Write nothing but calls, one on a line: "
        "one that creates the agent, and one for every earlier agent whose answer it is to see:",
        f'{_CREATE_AGENT}\ncreate_flow(source="an earlier one", target="the new one", payload="what is handed on")',
        "The agent works at once, and you are told what it answers. Every agent sees the question, its goal, and what "
        "flows into it. Leave out tools and roles that are not needed. In the end all must lead to one last agent, "
        'whose answer is the team\'s: write answer(text="${id}") alone, with its id. To answer without agents, begin '
        'with answer(text="...") alone.',
        *_offered(catalogue),
        f"Example:\n{_TURNS_EXAMPLE}",
    )
    return "\n\n".join(parts)


def request(question: str, dom: DoM = DoM.HIGH, catalogue: Catalogue = STANDARD) -> str:
    """The question with its bounds; small models are trained on exactly this text."""
    names = ", ".join(workflow.name for workflow in catalogue.workflows)
    return f"{question}\n\nDegree of MAS: {dom.describe()}\nWorkflows: {names}"


def _offered(catalogue: Catalogue) -> list[str]:
    """What may be named, a part for workflows and one for tools where there are some."""
    kinds = (("Workflows", catalogue.workflows), ("Tools", catalogue.tools))
    return [
        "\n".join([f"{kind}:", *(f"- {one.name}: {one.description}" for one in offered)])
        for kind, offered in kinds
        if offered
    ]
