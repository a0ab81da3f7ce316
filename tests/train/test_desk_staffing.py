"""The implementer's training text: every assignment is one, and follows neither prices nor goals."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.meta.implementer import Implementer
from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.models.model import Pool
from masrepro.runtime.assignment import read_assignment, write_assignment
from masrepro.train.desk_check import problem_of_staffing, valid_staffings
from masrepro.train.desk_staffing import draw_backbones, draw_models, draw_staffing, staffing_row
from masrepro.train.desk_words import SOLVERS, phrases, writing_phrases

seeds = st.integers(0, 10**9)


class Priced:
    """Has a name and a price."""

    revision, context_tokens = "1", 100

    def __init__(self, name, price):
        self.name, self.price = name, price

    async def complete(self, messages, sampling):
        raise NotImplementedError


@pytest.fixture(scope="module")
def tokenizer():
    return new_tokenizer(writing_phrases())


@given(seeds)
def test_a_row_is_what_an_implementer_is_told_and_may_write(seed):
    staffing, row = draw_staffing(Random(seed)), staffing_row(Random(seed))
    pool = Pool({name: Priced(name, price) for name, price in staffing.models.items()})
    _, user = Implementer(pool[pool.default], pool).messages(staffing.question, staffing.plan)
    assert row.prompt == user.content
    ids = [agent.id for agent in staffing.plan.agents]
    assigned = read_assignment(row.reply, ids, pool)
    assert list(assigned) == ids
    assert write_assignment(assigned) == row.reply
    assert row.operations == len(ids) >= 1


@given(seeds)
def test_text_is_in_the_vocabulary_and_takes_three_tokens_an_agent(tokenizer, seed):
    row = staffing_row(Random(seed))
    for text in (row.prompt, row.reply):
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.unk_token_id not in ids
        assert tokenizer.decode(ids) == text
    assert len(ids) == 3 * row.operations - 1


def test_a_question_is_read_in_the_tokens_that_the_solvers_know(tokenizer):
    questions = [draw_staffing(Random(seed)).question for seed in range(100)]
    known = new_tokenizer(phrases())(questions, add_special_tokens=False)["input_ids"]
    assert tokenizer(questions, add_special_tokens=False)["input_ids"] == known


@pytest.mark.parametrize("name", SOLVERS)
def test_the_name_of_a_model_is_one_token(tokenizer, name):
    assert len(tokenizer(name, add_special_tokens=False)["input_ids"]) == 1
    assert len(tokenizer(f'", backbone="{name}', add_special_tokens=False)["input_ids"]) == 1


def test_choices_follow_neither_names_nor_prices_nor_the_place_in_the_pool():
    rng = Random(1)
    names, places, ranks, spread = Counter(), Counter(), Counter(), Counter()
    for _ in range(6000):
        models = draw_models(rng)
        if len(models) < len(SOLVERS) or None in models.values():
            continue
        chosen = draw_backbones(rng, list(models), 5)
        spread[min(len(set(chosen)), 3)] += 1
        names[chosen[-1]] += 1
        places[list(models).index(chosen[-1])] += 1
        by_price = sorted(models, key=lambda name: models[name].completion_usd)
        ranks[by_price.index(chosen[-1])] += 1
    for counts in (names, places, ranks):
        assert len(counts) == 4
        assert all(0.21 < n / counts.total() < 0.29 for n in counts.values())
    assert min(spread[1], spread[2], spread[3]) > 0.15 * spread.total()


def test_prices_are_now_and_then_unknown():
    pools = [draw_models(Random(seed)) for seed in range(400)]
    unknown = sum(None in models.values() for models in pools)
    assert 15 < unknown < 80


@pytest.mark.parametrize(
    ("text", "rule"),
    [("a1: desk-solver-", "unknown-backbone"), ("a99: desk-solver-s", "unknown-agent"), ("a1", "syntax")],
)
def test_what_is_wrong_with_an_assignment(text, rule):
    assert problem_of_staffing(text, draw_staffing(Random(1))) == rule


def test_a_model_that_has_learned_nothing_assigns_nothing(tokenizer):
    staffings = [draw_staffing(Random(seed), largest=2) for seed in range(4)]
    assert valid_staffings(new_model(tokenizer, Size(32, 2, 2, 64), 0).eval(), tokenizer, staffings) == "0/4"
