"""compat="paper": each leniency of the released parser with its warning, and what stays rejected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from masrepro.orchestration import DoM, Flow, OrchestrationError, parse

CASES = json.loads((Path(__file__).parent.parent / "cases" / "released_parser.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_as_the_released_parser_takes_it(case):
    dom = DoM.parse(case["dom"])
    if case["verdict"] == "reject":
        with pytest.raises(OrchestrationError) as caught:
            parse(case["text"], "xml", dom, compat="paper")
        assert caught.value.rule == case["rule"]
        assert caught.value.where and caught.value.hint
        return
    plan = parse(case["text"], "xml", dom, compat="paper")
    assert plan.answer == case.get("answer")
    seen = {
        "agents": [agent.id for agent in plan.agents],
        "flows": [[flow.source, flow.target] for flow in plan.flows],
        "goals": [agent.goal for agent in plan.agents],
        "roles": [agent.role for agent in plan.agents],
        "debate": [role for agent in plan.agents for role in agent.roles],
    }
    for what, value in seen.items():
        assert value == case.get(what, value)
    assert any(case["warning"] in warning for warning in plan.warnings) or not case["warning"]


@pytest.mark.parametrize("case", [c for c in CASES if c["verdict"] == "accept"], ids=lambda case: case["what"])
def test_every_leniency_is_a_warning(case):
    dom = DoM.parse(case["dom"])
    warnings = parse(case["text"], "xml", dom, compat="paper").warnings
    if case["strict"] == "reject":
        with pytest.raises(OrchestrationError) as caught:
            parse(case["text"], "xml", dom)
        assert warnings[0] == f"strict parsing refuses this: {caught.value}"
    elif not case["warning"]:
        assert warnings == () and parse(case["text"], "xml", dom).warnings == ()


def test_warnings_are_no_part_of_the_plan():
    text = parse('create_agent(id="a", role="r", goal="g")').to("xml")
    plain, warned = parse(text, "xml"), parse("So: " + text, "xml", compat="paper")
    assert warned.warnings and not plain.warnings
    assert warned == plain and hash(warned) == hash(plain) and warned.content_hash == plain.content_hash


def test_plan_of_our_own_is_read_alike():
    text = """
create_agent(id="a", role="one", goal="find x")
create_agent(id="b", role="two", goal="use ${a}", workflow="debate", roles=["pro", "con"])
create_agent(id="c", role="three", goal="join ${a} and ${b}", workflow="reflexion")
create_flow(source="a", target="b")
create_flow(source="a", target="c")
create_flow(source="b", target="c")
"""
    plan = parse(text)
    again = parse(plan.to("xml"), "xml", compat="paper")
    assert again == plan and again.warnings == ()


def test_added_flows_follow_the_order_of_the_released_code():
    """A reference without an edge is filled in there if its agent came earlier, else left as text."""
    agents = {"a": "", "b": "${a} ${c}", "c": "${a} ${b}", "d": "${b} ${c}"}
    body = "".join(
        f"<agent><agent_id>{name}</agent_id><agent_name>CoTAgent</agent_name>"
        f"<required_arguments><agent_input>{goal}</agent_input></required_arguments></agent>"
        for name, goal in agents.items()
    )
    pairs = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    edge = "".join(f"<from>{source}</from><to>{target}</to>" for source, target in pairs)
    plan = parse(f"{body}<edge>{edge}</edge>", "xml", compat="paper")
    assert plan.flows == (*(Flow(*pair) for pair in pairs), Flow("b", "c"))
    assert any("${c} in 'b' refers to nothing" in warning for warning in plan.warnings)
