"""What the explorer may be told, and the small training that it makes where there is none."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from masrepro.lab.explorer_params import HERE, ExplorerParams


def test_a_training_made_here_keeps_every_step_and_follows_the_params():
    own = ExplorerParams(
        training_steps=2, cells=("masbench/depth/2", "masbench/parallel/2"), dom="LOW", seed=5
    ).own_training
    assert (own.steps, own.checkpoint_every, own.iterations) == (2, 1, 1)
    assert (own.cells, own.doms, own.seed, own.orchestrator) == (
        ("masbench/depth/2",),
        ("LOW",),
        5,
        "desk-orchestrator",
    )


def test_the_bound_grows_with_samples_and_costs_nothing_at_a_desk():
    small, large = ExplorerParams(n_samples=1), ExplorerParams(n_samples=10)
    assert small.bound().calls < large.bound().calls
    assert small.bound().cost_usd == 0


@pytest.mark.parametrize(
    "wrong", [{"cells": ("masbench/width/2",)}, {"dom": "MIDDLE"}, {"solvers": ("desk-solver-s",)}]
)
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(ValidationError):
        ExplorerParams(**wrong)


def test_here_is_a_word_and_no_folder():
    assert "/" not in HERE
