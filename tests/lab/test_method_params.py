"""What the notebook on holistic and sequential orchestration may spend, and what it refuses."""

import pytest

from masrepro.lab.method_params import HolisticSequentialParams
from masrepro.lab.orchestrator import Orchestrator


def test_the_bound_counts_both_methods_their_draws_and_every_turn():
    own = dict(cells=("masbench/depth/4",), n_samples=3, n_draws=2, system_calls=5, plan_tokens=10, max_tokens=100)
    one = HolisticSequentialParams(**own).bound()
    assert (one.samples, one.calls) == (3 * (1 + 2), 3 * (1 + 2 * 5 + 2))
    assert one.completion_tokens == 3 * ((1 + 2 * 5) * 100 + 2 * 10)
    both = HolisticSequentialParams(**own, turns=4, sequential=Orchestrator(model="desk-orchestrator")).bound()
    assert (both.samples, both.calls) == (3 * (1 + 4), 3 * (1 + 4 * 5 + 2 + 2 * 4))
    assert both.completion_tokens == 3 * ((1 + 4 * 5) * 100 + 4 * 10)
    assert both.cost_usd == 0


def test_an_unknown_cell_is_refused():
    with pytest.raises(ValueError, match="no axis 'dept'"):
        HolisticSequentialParams(cells=("masbench/dept/4",))
