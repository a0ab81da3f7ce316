"""The parser's verdict while a text is written."""

from xml.etree import ElementTree

from masrepro.explore.verdict import verdict_html, verdict_of, verdict_rows

ONE = 'create_agent(id="a", role="", goal="")\n'


def test_a_system_is_valid():
    verdict = verdict_of(ONE)
    assert verdict.error is None
    assert verdict_rows(verdict)[0] == {"verdict": "agents", "valid": "1"}


def test_a_broken_text_says_rule_place_and_remedy():
    verdict = verdict_of(ONE + 'create_flow(source="a", target="<b>")')
    assert verdict.plan is None
    facts = {row["verdict"]: row["refused"] for row in verdict_rows(verdict)}
    assert list(facts) == ["rule broken", "place", "what", "hint"]
    assert "line 2" in facts["place"]
    assert all(facts.values())
    assert ElementTree.fromstring(verdict_html(verdict)).get("role") == "status"


def test_an_empty_text_is_refused():
    assert verdict_of("").error is not None
