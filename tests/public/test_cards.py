"""Every card says what must be known before a benchmark is used."""

import re

import pytest

from masrepro.bench.public import cards
from masrepro.bench.public.schemas import SCHEMAS
from masrepro.bench.scoring import SCORERS

NAMES = {
    "aime24",
    "aime25",
    "gpqa-diamond",
    "hotpotqa",
    "hotpotqa/fullwiki",
    "browsecomp-plus",
    "bamboogle",
    "nq-open",
    "humaneval",
    "mbpp",
    "math500",
    "math",
    "gsm8k",
    "deepscaler",
}


def test_all_benchmarks_have_a_card():
    assert set(cards()) == NAMES


@pytest.mark.parametrize("card", cards().values(), ids=lambda card: card.name)
def test_card_is_whole(card):
    assert all((card.title, card.licence, card.keep_private, card.judge, card.paper, card.splits))
    assert card.schema in SCHEMAS
    assert card.scorer in {*SCORERS, "code"}
    for split in card.splits.values():
        assert split.size > 0 and split.files
        assert bool(split.hub) == bool(card.hub)


@pytest.mark.parametrize("card", cards().values(), ids=lambda card: card.name)
def test_hub_is_pinned_to_a_whole_commit_or_says_why_not(card):
    if card.hub is None:
        assert card.how_to_get
    elif card.hub.revision is None:
        assert card.hub.not_pinned
    else:
        assert re.fullmatch("[0-9a-f]{40}", card.hub.revision)


def test_what_must_stay_private_is_never_taken_from_the_hub():
    assert cards()["gpqa-diamond"].hub is None
    assert cards()["browsecomp-plus"].hub is None
