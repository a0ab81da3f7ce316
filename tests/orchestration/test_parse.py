"""What `parse` accepts and rejects: cases from the field, cases for every rule, and what may stand around."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from masrepro.orchestration import STANDARD, DoM, Notation, OrchestrationError, Workflow, parse

CASES = Path(__file__).parent.parent / "cases"
FIELD = json.loads((CASES / "orchestrations.json").read_text(encoding="utf-8"))
REJECTIONS = json.loads((CASES / "rejections.json").read_text(encoding="utf-8"))
NOTATIONS: tuple[Notation, ...] = ("calls", "xml", "tool_calls")
AGENT = 'create_agent(id="a", role="solver", goal="go")'
XML_AGENT = parse(AGENT).to("xml")
TEXTS = {"calls": AGENT, "xml": XML_AGENT, "tool_calls": parse(AGENT).to("tool_calls")}


@pytest.mark.parametrize("case", FIELD, ids=lambda case: case["id"])
def test_case_from_the_field(case):
    dom = DoM.parse(case["dom"])
    if case["verdict"] == "accept":
        plan = parse(case["text"], case["notation"], dom)
        assert len(plan.agents) == 1
        for notation in NOTATIONS:
            assert parse(plan.to(notation), notation, dom) == plan
    else:
        with pytest.raises(OrchestrationError) as caught:
            parse(case["text"], case["notation"], dom)
        assert caught.value.rule and caught.value.where and caught.value.hint


def test_hostile_text_of_the_field_arrives_byte_identical():
    case = next(case for case in FIELD if case["id"] == "P13")
    goal = 'compare {1;2} & \\frac{a}{b} < 3, "quote", \u2028 end'
    assert parse(case["text"]).agents[0].goal == goal


@pytest.mark.parametrize(
    "case", REJECTIONS, ids=[f"{i}-{case['notation']}-{case['rule']}" for i, case in enumerate(REJECTIONS)]
)
def test_rejection_names_rule_place_and_hint(case):
    with pytest.raises(OrchestrationError) as caught:
        parse(case["text"], case["notation"], DoM.parse(case["dom"]))
    error = caught.value
    assert error.rule == case["rule"]
    assert case["where"] in error.where
    assert error.where and error.hint.endswith((".", "]", "}", ">", "\\\\"))
    assert error.rule in str(error) and error.where in str(error) and error.hint in str(error)
    assert len(str(error)) < 2_000


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "\n\n  {}\n ",
        "```\n{}\n```",
        "```python\r\n{}\r\n```\n",
        "````text\n{}\n````",
        "<think>first {}</think>{}",
        "<thinking>no create_agent( here\n{}</thinking>\n\n{}",
        "<think>a</think>\n<thinking>b</thinking>\n```\n{}\n```",
        "```\n<think>inside the fence {}</think>\n{}\n```",
        "the opening tag was in the prompt {} </think>\n{}",
    ],
)
def test_fence_and_thinking_are_tolerated(notation, around):
    plan = parse(AGENT)
    other = plan.to(notation).replace("go", "only quoted")
    text = around.replace("{}", other, around.count("{}") - 1).replace("{}", plan.to(notation))
    assert parse(text, notation) == plan


@pytest.mark.parametrize("notation", NOTATIONS)
def test_thinking_that_never_ends_is_no_answer(notation):
    with pytest.raises(OrchestrationError, match="unclosed-thinking"):
        parse("<think>" + TEXTS[notation], notation)


def test_place_counts_lines_of_the_whole_reply():
    text = "<think>\r\nöne</think>\n\n```python\n  \n" + AGENT + '\ncreate_flow(source="a", target="ß")\n```'
    with pytest.raises(OrchestrationError) as caught:
        parse(text)
    assert caught.value.where.startswith("line 7, column 1, flow")


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("inside", ["```", "</think>", "<think>", "</thinking>x", "```\ny\n```"])
def test_fences_and_thinking_within_a_text_are_text(notation, inside):
    plan = parse(f"create_agent(id='a', role={inside!r}, goal={inside!r})")
    assert plan.agents[0].goal == inside
    for around in ("{}", "```\n{}\n```", "<think>x</think>{}"):
        assert parse(around.replace("{}", plan.to(notation)), notation) == plan


def test_text_over_the_limit_is_refused_at_once():
    with pytest.raises(OrchestrationError, match="too-long"):
        parse("#" * 1_000_001)


def test_more_agents_than_the_limit():
    text = "\n".join(f'create_agent(id="a{i}", role="", goal="")' for i in range(10_001))
    with pytest.raises(OrchestrationError, match="too-many-agents"):
        parse(text)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_dom_bounds_the_number_of_agents(notation):
    goals = ["start", "use ${a0}", "use ${a1}"]
    chain = [f'create_agent(id="a{i}", role="", goal="{goal}")' for i, goal in enumerate(goals)]
    flows = [f'create_flow(source="a{i}", target="a{i + 1}")' for i in range(2)]
    plan = parse("\n".join(chain + flows))
    text = plan.to(notation)
    assert parse(text, notation, DoM.at_most(3)) == plan
    for dom in (DoM.at_most(2), DoM.LOW):
        with pytest.raises(OrchestrationError) as caught:
            parse(text, notation, dom)
        assert caught.value.rule == "dom"
        assert caught.value.hint == dom.describe()


@pytest.mark.parametrize("dom", [DoM.LOW, DoM.at_most(1), DoM.HIGH], ids=str)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_direct_answer_and_single_agent_at_every_degree(dom, notation):
    for text in ('answer(text=" 4 < 5 ")', AGENT):
        plan = parse(text, dom=dom)
        assert parse(plan.to(notation), notation, dom) == plan
        assert parse(plan.to(notation, dom=dom), notation, dom) == plan


def test_workflow_of_ones_own():
    catalogue = STANDARD.with_workflow(Workflow("vote", "Vote", "Counts hands.", "VoteAgent"))
    text = 'create_agent(id="a", role="r", goal="g", workflow="vote")'
    plan = parse(text, catalogue=catalogue)
    for notation in NOTATIONS:
        assert parse(plan.to(notation, catalogue=catalogue), notation, catalogue=catalogue) == plan
    with pytest.raises(OrchestrationError, match="unknown-workflow"):
        parse(text)
    with pytest.raises(OrchestrationError, match="unknown-workflow"):
        plan.to("xml")


def test_callers_fault_is_a_value_error():
    with pytest.raises(ValueError, match="no notation 'json'"):
        parse(AGENT, "json")
    with pytest.raises(ValueError, match="no notation 'yaml'"):
        parse(AGENT).to("yaml")
    with pytest.raises(ValueError, match="'paper', for 'xml'"):
        parse(AGENT, "calls", compat="paper")
    with pytest.raises(ValueError, match="'paper', for 'xml'"):
        parse(AGENT, "xml", compat="lenient")


def test_error_survives_a_process_boundary():
    import pickle

    with pytest.raises(OrchestrationError) as caught:
        parse('create_agent(id="a b", role="", goal="")')
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.rule, again.where, again.hint) == (caught.value.rule, caught.value.where, caught.value.hint)
