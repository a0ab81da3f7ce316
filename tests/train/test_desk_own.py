"""Systems that the orchestrator itself has written: what keeps to all rules is learned, in the sizes that are drawn."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from masrepro.models.desk import folder_of
from masrepro.orchestration import parse
from masrepro.train.desk_batches import IGNORED, batches
from masrepro.train.desk_check import problem_of
from masrepro.train.desk_own import LONGEST, design_of, own_rows
from masrepro.train.desk_plans import PLAIN, plan_row
from masrepro.train.desk_recipe import RECIPES, Clock

ONE = 'create_agent(id="a1", role="gatherer", goal="Give the final answer.", workflow="cot")'
TWO = f'{ONE}\ncreate_agent(id="a2", role="gatherer", goal="Give the final answer.", workflow="cot")'
TWO += '\ncreate_flow(source="a2", target="a1")'
LOOP = f'{ONE}\ncreate_flow(source="a1", target="a1")'
STRANGE = ONE.replace("Give the final answer.", "Find the number of each Nowhere's Nothing.")


def writer(*texts):
    """Replies with these texts in turn, whatever the question."""

    def write(prompts, seed):
        return [texts[place % len(texts)] for place in range(len(prompts))]

    return write


def designs(rows):
    return Counter(design_of(parse(row.reply, catalogue=PLAIN)) for row in rows)


def test_what_breaks_a_rule_or_names_something_new_is_not_learned():
    rows = own_rows(Random(0), writer(TWO, LOOP, STRANGE, "create_agent("), 400)
    assert TWO in {row.reply for row in rows}
    assert {problem_of(row.reply, row.prompt) for row in rows} == {None}


def test_a_degree_of_mas_is_a_rule():
    rows = [row for row in own_rows(Random(0), writer(TWO), 300) if row.reply == TWO]
    assert rows
    assert not [row for row in rows if "at most one agent" in row.prompt or "create no agents" in row.prompt]


def test_each_size_and_shape_is_learned_as_often_as_it_is_drawn():
    drawn, own = (own_rows(Random(1), writer(*texts), 600) for texts in (["no"], [TWO, TWO, TWO, ONE]))
    assert designs(own) == designs(drawn)
    assert {shape for _, shape in designs(own)} == {"chain", "star", "tree", "net"}
    assert sum(row.reply in (ONE, TWO) for row in own) > 60


def test_where_nothing_is_valid_drawn_systems_are_learned():
    rows = own_rows(Random(0), writer("no"), 50)
    assert len(rows) == 50
    assert {problem_of(row.reply, row.prompt) for row in rows} == {None}


def test_same_seed_same_rows():
    asked = []

    def write(prompts, seed):
        asked.append((tuple(prompts), seed))
        return [TWO if place % 2 else ONE for place in range(len(prompts))]

    first, second = (own_rows(Random(3), write, 60) for _ in range(2))
    assert first == second
    assert asked[0] == asked[1]


@pytest.fixture(scope="module")
def tokenizer():
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder_of("desk-orchestrator"))


def test_drawn_systems_fit_into_what_it_may_write(tokenizer):
    texts = [plan_row(Random(seed)).reply for seed in range(1500)]
    assert max(map(len, tokenizer(texts, add_special_tokens=False)["input_ids"])) < LONGEST


def test_late_in_the_course_it_learns_from_its_own(tokenizer):
    recipe = replace(RECIPES["orchestrator"], pool_rows=200)
    late = Clock(recipe, tokens=recipe.tokens)
    systems = Counter()
    for batch in batches(tokenizer, Random(0), late, writer(ONE, TWO)):
        for ids, labels in batch:
            for row, counted in zip(ids, labels, strict=True):
                text = tokenizer.decode([token for token, own in zip(row, counted, strict=True) if own != IGNORED])
                if "Degree of MAS: " in tokenizer.decode(row):
                    systems[text.removesuffix("<end>")] += 1
    assert {ONE, TWO} <= set(systems)
