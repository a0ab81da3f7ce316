"""The orchestrator's training text: valid systems of every size, whose design has nothing to do with the axis."""

import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from masrepro.bench.masbench.generate import make_item
from masrepro.models.desk import new_tokenizer
from masrepro.orchestration import parse
from masrepro.orchestration.dom import DoM
from masrepro.train.desk_check import problem_of
from masrepro.train.desk_plans import LARGEST, PLAIN, draw_plan, naming, plan_row, written
from masrepro.train.desk_words import phrases

seeds = st.integers(0, 10**9)


@pytest.fixture(scope="module")
def tokenizer():
    return new_tokenizer(phrases())


@given(seeds, st.booleans())
def test_every_system_is_valid_and_names_what_the_question_names(seed, solves_first):
    row = plan_row(Random(seed), solves_first=solves_first)
    assert problem_of(row.reply, row.prompt) is None


@given(seeds, st.booleans())
def test_text_is_in_the_vocabulary_and_comes_back_unchanged(tokenizer, seed, solves_first):
    row = plan_row(Random(seed), solves_first=solves_first)
    for text in (row.prompt, row.reply):
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.unk_token_id not in ids
        assert tokenizer.decode(ids) == text


@example(3169, DoM.HIGH, "depth")
@given(seeds, st.sampled_from([DoM.LOW, DoM.HIGH, DoM.at_most(3)]), st.sampled_from(["depth", "horizon", "robustness"]))
def test_degree_bounds_the_system(seed, dom, axis):
    plan = draw_plan(Random(seed), make_item(axis, 4, "train", seed), dom)
    assert dom.allows(len(plan.agents))
    assert parse(written(plan), dom=dom, catalogue=PLAIN) == plan


@given(seeds, st.sampled_from(["depth", "horizon", "robustness"]))
def test_a_flow_joins_the_agent_just_written_with_one_before(seed, axis):
    plan = draw_plan(Random(seed), make_item(axis, 4, "train", seed), DoM.HIGH)
    there = []
    for line in written(plan).splitlines():
        ids = re.findall(r'(?:id|source|target)="(a\d+)"', line)
        if line.startswith("create_agent("):
            there += ids
        else:
            assert there[-1] in ids
            assert set(ids) <= set(there)


@given(seeds, st.sampled_from(["depth", "breadth"]))
def test_the_drill_names_what_the_last_agent_reads(seed, axis):
    item = make_item(axis, 4, "train", seed)
    question, pairs = naming(Random(seed), item)
    (problem,) = item.problems
    by_name = {quantity.name: quantity for quantity in problem.quantities}
    for (_, last), (given_text, name) in pairwise(pairs):
        assert f"number of each {name}" in question
        parents = by_name[last].parents
        assert not parents or problem.quantities[parents[0]].name == name
        assert given_text.count("create_flow(") == given_text.count(f"{last}")


def test_sizes_and_shapes_are_spread_wide():
    rng = Random(1)
    plans = [draw_plan(rng, make_item("parallel", 4, "train", index), DoM.HIGH) for index in range(600)]
    sizes = Counter(len(plan.agents) for plan in plans)
    assert set(sizes) == set(range(1, LARGEST + 1))
    assert min(sizes.values()) > 30
    big = [plan for plan in plans if len(plan.agents) == 6]
    assert len({(plan.longest_chain, plan.width) for plan in big}) > 6


@pytest.mark.parametrize(("axis", "values"), [("depth", (2, 12)), ("parallel", (2, 8)), ("horizon", (2, 8))])
def test_design_does_not_depend_on_the_axis_value(axis, values):
    means = []
    for value in values:
        rng = Random(7)
        plans = [draw_plan(rng, make_item(axis, value, "train", index), DoM.HIGH) for index in range(800)]
        means.append([sum(map(what, plans)) / len(plans) for what in (lambda p: len(p.agents), lambda p: len(p.flows))])
    (agents, flows), (more_agents, more_flows) = means
    assert abs(agents - more_agents) < 0.5
    # A longer text has more to follow, where a system follows it.
    assert abs(flows - more_flows) < 1.5


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('create_agent(id="a1", role="solver", goal="Find the number of each Mill\'s Lamp.", workflow="cot")', None),
        (
            'create_agent(id="a1", role="solver", goal="Find the number of each Mill\'s Drum.", workflow="cot")',
            "unknown name",
        ),
        ("create_agent(", "syntax"),
    ],
)
def test_what_is_wrong_with_a_written_system(text, rule):
    assert problem_of(text, "The number of each Mill's Lamp equals 3.") == rule
