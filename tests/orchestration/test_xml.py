"""The xml notation: both forms of the released checkpoints, verbatim text, and the tags of our own."""

from __future__ import annotations

import pytest

from masrepro.orchestration import Agent, DoM, Flow, Orchestration, OrchestrationError, parse

HIGH_FORM = """<thinking>
  First search, then think. <agent> is only a word here.
</thinking>

<agent>
  <agent_id>WS_1</agent_id>
  <agent_name>WebSearchAgent</agent_name>
  <agent_description>Finds it.</agent_description>
    <required_arguments>
      <agent_input>Search for x < 3 & y,
"quoted".</agent_input>
    </required_arguments>
</agent>
<agent>
  <agent_id>
FINAL
  </agent_id>
  <agent_name>DebateAgent</agent_name>
  <agent_description></agent_description>
  <required_arguments>
    <agent_input>Judge:

${WS_1}</agent_input>
    <debate_roles>["Professor", "Teacher & <b>"]</debate_roles>
  </required_arguments>
</agent>

<edge>
<from>WS_1</from>
<to> FINAL </to>
</edge>
"""

LOW_FORM = """<thinking>One is enough.</thinking>
<agent>
    <agent_name>CoTAgent</agent_name>
    <agent_description>d</agent_description>
    <required_arguments>
        <agent_input>{}</agent_input>
    </required_arguments>
    <agent_output_id>
    out_1
    </agent_output_id>
</agent>
<answer>
out_1
</answer>"""


def agent_with(goal: str) -> Orchestration:
    return Orchestration((Agent("a", "r", goal),))


def xml_of(goal: str, role: str = "r") -> str:
    return (
        f"<agent><agent_id>a</agent_id><agent_name>CoTAgent</agent_name><agent_description>{role}"
        f"</agent_description><required_arguments><agent_input>{goal}</agent_input></required_arguments></agent>"
    )


def test_high_form():
    plan = parse(HIGH_FORM, "xml")
    assert plan.agents == (
        Agent("WS_1", "Finds it.", 'Search for x < 3 & y,\n"quoted".', "deep_research"),
        Agent("FINAL", "", "Judge:\n\n${WS_1}", "debate", roles=("Professor", "Teacher & <b>")),
    )
    assert plan.flows == (Flow("WS_1", "FINAL"),)


@pytest.mark.parametrize("dom", [DoM.LOW, DoM.HIGH, DoM.at_most(1)], ids=str)
@pytest.mark.parametrize(("given", "goal"), [("", ""), ('""', ""), (' "" ', ""), ("\n ", ""), ("do it", "do it")])
def test_low_form(dom, given, goal):
    plan = parse(LOW_FORM.replace("{}", given), "xml", dom)
    assert plan.agents == (Agent("out_1", "d", goal),)


def test_low_form_is_written_on_request_only():
    plan = agent_with("go")
    assert "agent_output_id" in plan.to("xml", dom=DoM.LOW)
    assert "<answer>a</answer>" in plan.to("xml", dom=DoM.LOW)
    assert "agent_output_id" not in plan.to("xml")
    for written in (plan.to("xml", dom=DoM.LOW), plan.to("xml")):
        assert parse(written, "xml", DoM.LOW) == parse(written, "xml", DoM.HIGH) == plan


def test_direct_answer_is_stripped_of_its_layout():
    assert parse("<answer>\n 42 \n</answer>", "xml", DoM.LOW).answer == "42"
    assert parse(Orchestration(answer=" 42\n").to("xml"), "xml").answer == " 42\n"


@pytest.mark.parametrize(
    "text",
    [
        "a < b & c > d &lt; &amp; &#10; ]]> <b>bold</b> <agents> </ agent> <Agent>",
        " leading and trailing \n",
        "<answer>, <from>, <to>, <thinking> and </think> are words here",
        "a\r\nb\u2028c\u0085d\x00e",
    ],
)
def test_unmarked_text_arrives_as_written(text):
    assert parse(xml_of(text), "xml").agents[0].goal == text
    assert parse(xml_of("g", role=text), "xml").agents[0].role == text


@pytest.mark.parametrize(
    "text",
    [
        "</agent_input>",
        "<agent><agent_id>b</agent_id></agent>",
        "<![CDATA[x]]>",
        "<![CDATA[",
        "</agent> ]]> <edge>]]>]]",
        " ",
        '""',
        ' "" ',
        "\n",
        "</agent_description><agent_name>SCAgent</agent_name>",
    ],
)
def test_text_that_would_be_misread_is_marked(text):
    for plan in (agent_with(text), Orchestration((Agent("a", text, "g"),))):
        written = plan.to("xml")
        assert parse(written, "xml") == plan
    assert "<![CDATA[" in agent_with(text).to("xml")


def test_plain_text_is_not_marked():
    assert "CDATA" not in agent_with("a < b & c").to("xml")


def test_flow_without_reference_needs_a_payload_tag():
    agents = (Agent("a", "r", "g"), Agent("b", "r", "g"), Agent("c", "r", "${b}"))
    plan = Orchestration(agents, (Flow("a", "b"), Flow("b", "c"), Flow("a", "c", "</payload> <to>x</to>")))
    written = plan.to("xml")
    assert "<from>a</from><to>b</to><payload></payload>" in written
    assert "<from>b</from><to>c</to>\n" in written
    assert parse(written, "xml") == plan
    with pytest.raises(OrchestrationError, match="flow-without-reference"):
        parse(written.replace("<payload></payload>", ""), "xml")


def test_tools_and_backbone_have_tags_of_our_own():
    agent = Agent("a", "r", "g", "debate", ("search", "python"), ("<agent_id>", "</debate_roles>"), " b </agent> ")
    plan = Orchestration((agent,))
    assert parse(plan.to("xml"), "xml") == plan


def test_parts_may_come_in_any_order():
    parts = parse(HIGH_FORM, "xml").to("xml").split("<edge>")
    assert parse("<edge>" + parts[1] + "<thinking>late</thinking>" + parts[0], "xml") == parse(HIGH_FORM, "xml")
