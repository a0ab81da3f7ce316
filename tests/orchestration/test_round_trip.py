"""Every notation and back without loss, over random systems with arbitrary unicode text."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from masrepro.orchestration import STANDARD, Agent, DoM, Flow, Notation, Orchestration, parse

NOTATIONS: tuple[Notation, ...] = ("calls", "xml", "tool_calls")
MANY = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])

AWKWARD = [
    "\u2028", "\u0085", "\r", "\r\n", "\n", "\t", "\x00", "\x0c", "\ufeff", "\ue000", "\uff46rom",
    "\U0001f600", '"', "'", '"""', "'''", "\\", "\\n", "\\u", "\\q", "{", "}", "${", "${}", "$a", "<", ">",
    "&", "&lt;", "]]>", "<![CDATA[", "</agent_input>", "<agent>", "</agent>", "<edge>", "</payload>", "<to>",
    "</answer>", '""', " ", "```", "</think>", "<thinking>", "from =", "create_agent(", ")\ncreate_agent(",
    "#", "null", "-1", "[", "]", "\n  create_flow(",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(AWKWARD), st.text(max_size=8)), max_size=6).map("".join)
IDS = st.text("abXY_019", min_size=1, max_size=4)


@st.composite
def agents(draw: st.DrawFn, agent_id: str, sources: list[str]) -> Agent:
    workflow = draw(st.sampled_from(STANDARD.workflows))
    parts = draw(st.lists(TEXTS, min_size=1, max_size=4))
    referred = draw(st.lists(st.sampled_from([f"${{{s}}}" for s in sources]), max_size=4)) if sources else []
    goal = parts[0] + "".join(r + p for r, p in zip(referred, [*parts[1:], "", "", "", ""], strict=False))
    return Agent(
        agent_id,
        draw(TEXTS),
        goal,
        workflow.name,
        tuple(draw(st.lists(st.sampled_from([tool.name for tool in STANDARD.tools]), max_size=3))),
        ("pro ", draw(TEXTS) + "con") if workflow.needs_roles else (),
        draw(st.one_of(st.none(), TEXTS)),
    )


@st.composite
def systems(draw: st.DrawFn, max_agents: int = 6) -> Orchestration:
    ids = draw(st.lists(IDS, min_size=1, max_size=max_agents, unique=True))
    pairs = {(source, target) for j, target in enumerate(ids) for source in ids[:j] if draw(st.booleans())} | {
        (source, ids[-1]) for source in ids[:-1]
    }
    flows = [Flow(*pair, draw(st.one_of(st.just(""), TEXTS))) for pair in sorted(pairs)]
    built = [draw(agents(i, [f.source for f in flows if f.target == i])) for i in draw(st.permutations(ids))]
    return Orchestration(tuple(built), tuple(draw(st.permutations(flows))))


ANSWERS = TEXTS.filter(lambda text: text.strip()).map(lambda text: Orchestration(answer=text))


@MANY
@given(st.one_of(systems(), systems(1), ANSWERS))
def test_every_notation_and_back(plan):
    for notation in NOTATIONS:
        again = parse(plan.to(notation), notation)
        assert again == plan
        assert again.content_hash == plan.content_hash
        assert again.to(notation) == plan.to(notation)


@MANY
@given(st.one_of(systems(1), ANSWERS), st.sampled_from([DoM.LOW, DoM.HIGH, DoM.at_most(1)]))
def test_single_agents_and_answers_at_every_degree(plan, dom):
    for notation in NOTATIONS:
        for written in (plan.to(notation), plan.to(notation, dom=dom)):
            assert parse(written, notation, DoM.LOW) == parse(written, notation, DoM.HIGH) == plan


@MANY
@given(systems(4), st.sampled_from(["{}", "```\n{}\n```", "<think>hm\n</think>\n{}", "\n\t {} \r\n"]))
def test_back_from_within_fence_and_thinking(plan, around):
    for notation in NOTATIONS:
        assert parse(around.replace("{}", plan.to(notation)), notation) == plan


@MANY
@given(TEXTS, st.sampled_from(['"', "'", '"""', "'''"]))
def test_text_between_python_quotes_arrives_as_written(text, quote):
    """A model that escapes only backslashes and the quote itself, as most do, gets its text across."""
    inside = text.replace("\\", "\\\\").replace(quote[0], "\\" + quote[0]).replace("\0", "")
    if len(quote) == 1:
        inside = inside.replace("\n", "\\n").replace("\r", "\\r")
    goal = parse(f"create_agent(id='a', role='', goal={quote}{inside}{quote})").agents
    assert goal[0].goal == text.replace("\0", "")


@MANY
@given(TEXTS)
def test_text_between_tags_arrives_as_written(text):
    plain = text.replace("<![CDATA[", "").replace("<agent>", "").replace("</agent>", "").replace("<edge>", "")
    plain = plain.replace("</agent_input>", "")
    if not plain.strip() or plain.strip() == '""':
        plain += "x"
    written = (
        "<agent><agent_id>a</agent_id><agent_name>CoTAgent</agent_name><agent_description></agent_description>"
        f"<required_arguments><agent_input>{plain}</agent_input></required_arguments></agent>"
    )
    assert parse(written, "xml").agents[0].goal == plain


@MANY
@given(systems(), st.integers(0, 1_000))
def test_hash_is_that_of_the_set_of_parts(plan, seed):
    rng = random.Random(seed)
    shuffled = dataclasses.replace(
        plan,
        agents=tuple(rng.sample(plan.agents, len(plan.agents))),
        flows=tuple(rng.sample(plan.flows, len(plan.flows))),
    )
    assert shuffled.content_hash == plan.content_hash
    assert set(shuffled.order) == set(plan.order) and shuffled.levels[-1] == plan.levels[-1]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_thousand_agents(notation):
    chain = [Agent("a0", "r", "start \\q \r\n")]
    chain += [Agent(f"a{i}", "r", f"go on from ${{a{i - 1}}} \u2028") for i in range(1, 1_000)]
    plan = Orchestration(tuple(chain), tuple(Flow(f"a{i}", f"a{i + 1}", "x") for i in range(999)))
    assert parse(plan.to(notation), notation) == plan
