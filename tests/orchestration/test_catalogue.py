"""The catalogue: standard names, additions, and schemas that follow from the signatures the parsers use."""

from __future__ import annotations

import dataclasses

import pytest

from masrepro.orchestration import STANDARD, Agent, DoM, Flow, OrchestrationError, Tool, Workflow, parse

VOTE = Workflow("vote", "Vote", "Counts hands.", "VoteAgent", takes_tools=False)


def test_standard_names():
    assert {w.name: w.xml_name for w in STANDARD.workflows} == {
        "cot": "CoTAgent",
        "cot_sc": "SCAgent",
        "debate": "DebateAgent",
        "reflexion": "ReflexionAgent",
        "deep_research": "WebSearchAgent",
    }
    assert [tool.name for tool in STANDARD.tools] == ["search", "open_page", "python", "browser"]
    assert [w.name for w in STANDARD.workflows if w.needs_roles] == ["debate"]


def test_addition_leaves_the_old_catalogue_alone():
    larger = STANDARD.with_workflow(VOTE).with_tool(Tool("clock", "Tells the time."))
    assert larger.workflow("vote") is VOTE and larger.workflow_of_xml("VoteAgent") is VOTE
    assert STANDARD.workflow("vote") is None and STANDARD.workflow_of_xml("VoteAgent") is None
    assert len(larger.tools) == len(STANDARD.tools) + 1


@pytest.mark.parametrize(
    "taken", [dataclasses.replace(VOTE, name="cot"), dataclasses.replace(VOTE, xml_name="SCAgent")]
)
def test_taken_names_are_refused(taken):
    with pytest.raises(ValueError, match="already"):
        STANDARD.with_workflow(taken)
    with pytest.raises(ValueError, match="already"):
        STANDARD.with_tool(Tool("search", "again"))


def test_workflow_without_tools():
    catalogue = STANDARD.with_workflow(VOTE)
    catalogue.check([Agent("a", "r", "g", "vote")])
    with pytest.raises(OrchestrationError, match="no-tools"):
        catalogue.check([Agent("a", "r", "g", "vote", ("search",))])


@pytest.mark.parametrize(
    ("name", "meant"),
    [("cott", "'cot'"), ("SCAgent", "'cot_sc'"), ("WebSearchAgent", "'deep_research'"), ("zzz", None)],
)
def test_near_names_are_suggested(name, meant):
    with pytest.raises(OrchestrationError) as caught:
        STANDARD.check([Agent("a", "r", "g", name)])
    assert ("Did you mean" in caught.value.hint) == (meant is not None)
    assert (meant or "cot, cot_sc") in caught.value.hint


def test_schemas_name_the_fields_of_agent_and_flow():
    agent, flow = (schema["function"] for schema in STANDARD.tool_schemas())
    assert (agent["name"], flow["name"]) == ("create_agent", "create_flow")
    for function, kind in ((agent, Agent), (flow, Flow)):
        fields = dataclasses.fields(kind)
        parameters = function["parameters"]
        assert list(parameters["properties"]) == [field.name for field in fields]
        assert parameters["required"] == [f.name for f in fields if f.default is dataclasses.MISSING]
        assert parameters["additionalProperties"] is False
    properties = agent["parameters"]["properties"]
    assert properties["workflow"]["enum"] == [w.name for w in STANDARD.workflows]
    assert properties["tools"]["items"]["enum"] == [tool.name for tool in STANDARD.tools]


def test_schemas_follow_the_catalogue_and_the_degree():
    larger = STANDARD.with_workflow(VOTE)
    workflow = larger.tool_schemas()[0]["function"]["parameters"]["properties"]["workflow"]
    assert "vote" in workflow["enum"] and "Counts hands." in workflow["description"]
    names = [schema["function"]["name"] for schema in STANDARD.tool_schemas(DoM.LOW)]
    assert names == ["create_agent", "answer"]


def test_every_standard_workflow_can_be_written():
    for workflow in STANDARD.workflows:
        roles = ', roles=["pro", "con"]' if workflow.needs_roles else ""
        plan = parse(f'create_agent(id="a", role="r", goal="g", workflow="{workflow.name}"{roles})')
        assert parse(plan.to("xml"), "xml") == plan
