"""What an orchestrator is told: complete, and with an example that the parser takes."""

from masrepro.orchestration import parse
from masrepro.orchestration.briefing import request, rules
from masrepro.orchestration.catalogue import STANDARD
from masrepro.orchestration.dom import DoM


def test_rules_name_every_workflow_and_tool():
    text = rules()
    for known in (*STANDARD.workflows, *STANDARD.tools):
        assert f"- {known.name}: {known.description}" in text


def test_the_example_is_valid():
    plan = parse(rules().rpartition("Example:\n")[2])
    assert [agent.id for agent in plan.agents] == ["a1", "a2"]
    assert plan.sink == "a2"


def test_the_request_is_question_degree_and_names():
    text = request("How many?", DoM.at_most(3))
    names = ", ".join(workflow.name for workflow in STANDARD.workflows)
    assert text == f"How many?\n\nDegree of MAS: Create at most 3 agents.\nWorkflows: {names}"
