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


def rules(catalogue: Catalogue = STANDARD) -> str:
    """The notation and what it may name, for a model that has never seen it."""
    workflows = "\n".join(f"- {workflow.name}: {workflow.description}" for workflow in catalogue.workflows)
    tools = "\n".join(f"- {tool.name}: {tool.description}" for tool in catalogue.tools)
    parts = (
        "Design a team of agents that answers the question. Write nothing but calls, one on a line:",
        'create_agent(id="...", role="...", goal="...", workflow="...", tools=[...], roles=[...])\n'
        'create_flow(source="...", target="...", payload="what is handed on")',
        "Every agent sees the question, its goal, and what flows into it. Flows join agents that were created before, "
        "form no cycle, and all lead to one last agent, whose answer is the team's. Leave out tools and roles that are "
        'not needed. To answer without agents, write answer(text="...") alone.',
        f"Workflows:\n{workflows}",
        f"Tools:\n{tools}" if tools else "",
        f"Example:\n{_EXAMPLE}",
    )
    return "\n\n".join(part for part in parts if part)


def request(question: str, dom: DoM = DoM.HIGH, catalogue: Catalogue = STANDARD) -> str:
    """The question with its bounds; small models are trained on exactly this text."""
    names = ", ".join(workflow.name for workflow in catalogue.workflows)
    return f"{question}\n\nDegree of MAS: {dom.describe()}\nWorkflows: {names}"
