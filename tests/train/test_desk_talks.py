"""The sequencer's training text: conversations that build valid systems, with answers that are true or not."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.bench.masbench.generate import make_item
from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.orchestration.plan import Orchestration
from masrepro.orchestration.turns import Partial, take_turn
from masrepro.train.desk_batches import IGNORED, batches
from masrepro.train.desk_check import problem_of_turn, valid_turns
from masrepro.train.desk_plans import LARGEST, PLAIN
from masrepro.train.desk_recipe import RECIPES, Clock
from masrepro.train.desk_talks import draw_talk, naming_talk
from masrepro.train.desk_words import phrases, writing_phrases

seeds = st.integers(0, 10**9)


@pytest.fixture(scope="module")
def tokenizer():
    return new_tokenizer(writing_phrases())


@given(seeds)
def test_every_conversation_builds_a_valid_system_and_names_what_the_question_names(seed):
    talk = draw_talk(Random(seed))
    built = Partial()
    for place, turn in enumerate(talk.turns):
        assert problem_of_turn(turn, talk, place) is None
        built = take_turn(turn, built, catalogue=PLAIN)
    assert isinstance(built, Orchestration)
    assert len(talk.heard) == len(talk.turns) - 1 == len(built.agents)
    assert [told.partition(":")[0] for told in talk.heard] == [f"From {agent.id}" for agent in built.agents]


@given(seeds)
def test_text_is_in_the_vocabulary_and_comes_back_unchanged(tokenizer, seed):
    talk = draw_talk(Random(seed))
    for text in (talk.until(len(talk.turns) - 1), talk.turns[-1]):
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.unk_token_id not in ids
        assert tokenizer.decode(ids) == text
    assert len(tokenizer(talk.turns[-1], add_special_tokens=False)["input_ids"]) <= 5


def test_the_solvers_words_keep_their_place():
    assert writing_phrases()[: len(phrases())] == phrases()


def test_conversations_are_of_all_lengths_and_what_comes_back_is_often_wrong():
    rng = Random(1)
    talks = [draw_talk(rng) for _ in range(600)]
    lengths = Counter(len(talk.heard) for talk in talks)
    assert set(lengths) == set(range(LARGEST + 1)) and min(lengths.values()) > 10
    silent = sum("no answer" in told for talk in talks for told in talk.heard)
    assert 0.01 < silent / sum(len(talk.heard) for talk in talks) < 0.06


def test_a_share_of_answers_is_true():
    """Of quantities that the text states as they are, which anyone can look up."""
    rng, right = Random(2), []
    for seed in range(400):
        item = make_item("depth", 3, "train", seed)
        stated = {
            f"Find the number of each {q.name}.": q.constant for q in item.problems[0].quantities if not q.parents
        }
        _, pairs = naming_talk(rng, item)
        text = "".join(given + name for given, name in pairs)
        for goal, value in stated.items():
            for rest in text.split(goal)[1:]:
                told = rest.partition("<user>From a")[2].partition("<assistant>")[0].partition(": ")[2]
                right += [told == f"{value}"] if told.isdigit() else []
    assert 0.6 < sum(right) / len(right) < 0.85


def no_one(prompts, seed):
    raise AssertionError("a conversation is not written by the model")


def test_only_the_sequencers_own_tokens_count_for_the_loss(tokenizer):
    clock = Clock(RECIPES["sequencer"], tokens=10_000_000)
    ids, labels = next(pair for batch in batches(tokenizer, Random(0), clock, no_one) for pair in batch)
    row, own = ids[0].tolist(), [label != IGNORED for label in labels[0].tolist()]
    assert any(own) and not all(own)
    for place, (token, counts) in enumerate(zip(row, own, strict=True)):
        assert labels[0][place] == (token if counts else IGNORED)
        if token == tokenizer.convert_tokens_to_ids("<user>"):
            assert not counts


@pytest.mark.parametrize(
    ("turn", "rule"),
    [
        ("create_agent(", "syntax"),
        (
            'create_agent(id="a1", role="solver", goal="Find the number of each Nobody\'s Hat.", workflow="cot")',
            "unknown name",
        ),
    ],
)
def test_what_is_wrong_with_a_turn(turn, rule):
    assert problem_of_turn(turn, draw_talk(Random(1)), 0) == rule


def test_a_model_that_has_learned_nothing_takes_no_valid_turn(tokenizer):
    rng = Random(3)
    talks = [draw_talk(rng, largest=2) for _ in range(6)]
    found = valid_turns(new_model(tokenizer, Size(32, 2, 2, 64), 0).eval(), tokenizer, talks, rng)
    assert sum(int(share.partition("/")[2]) for share in found.values()) == 6
    assert all(share.startswith("0/") for share in found.values())
