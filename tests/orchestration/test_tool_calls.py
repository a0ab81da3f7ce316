"""The tool_calls notation: arguments as object or JSON text, and the schemas that models call by."""

from __future__ import annotations

import json

import pytest

from masrepro.orchestration import STANDARD, DoM, Flow, parse

A = {"id": "a", "role": "r", "goal": 'say "${" < \u2028 & {x}', "tools": ["search"], "backbone": None}
B = {"id": "b", "role": "r", "goal": "${a}", "workflow": "debate", "roles": ["pro", "con"]}


def call(name: str, arguments: object) -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("as_text", [False, True])
def test_arguments_as_object_or_as_text(as_text):
    shape = json.dumps if as_text else lambda arguments: arguments
    flow = {"from": "a", "to": "b", "payload": None}
    calls = [call("create_agent", shape(A)), call("create_agent", shape(B)), call("create_flow", shape(flow))]
    plan = parse(json.dumps(calls), "tool_calls")
    assert plan.agents[0].goal == A["goal"]
    assert plan.agents[0].tools == ("search",)
    assert plan.agents[1].roles == ("pro", "con")
    assert plan.flows == (Flow("a", "b"),)


def test_ids_and_missing_types_are_tolerated():
    calls = [{"id": "call_9", "index": 0, "function": {"name": "create_agent", "arguments": json.dumps(A)}}]
    assert parse(json.dumps(calls), "tool_calls").sink == "a"


def test_written_calls_have_the_shape_of_the_api():
    written = json.loads(parse(json.dumps([call("create_agent", A)]), "tool_calls").to("tool_calls"))
    assert [item["type"] for item in written] == ["function"]
    assert isinstance(written[0]["function"]["arguments"], str)
    assert written[0]["id"] == "call_1"


@pytest.mark.parametrize("dom", [DoM.LOW, DoM.HIGH, DoM.at_most(3)], ids=str)
def test_what_a_schema_allows_is_read(dom):
    """A call that fills every property with its first allowed value parses, if its agent needs no roles."""
    for schema in STANDARD.tool_schemas(dom):
        function = schema["function"]
        arguments = {name: first_value(name, value) for name, value in function["parameters"]["properties"].items()}
        arguments.pop("roles", None)
        calls = [call(function["name"], arguments)]
        if function["name"] == "create_flow":
            calls = [
                call("create_agent", {**A, "goal": "g"}),
                call("create_agent", {**B, "goal": "g"}),
                *calls,
            ]
        assert parse(json.dumps(calls), "tool_calls")


def first_value(name: str, schema: dict[str, object]) -> object:
    if schema["type"] == "array":
        return [first_value(name, schema["items"])]
    return schema["enum"][0] if "enum" in schema else {"source": "a", "target": "b"}.get(name, "x")
