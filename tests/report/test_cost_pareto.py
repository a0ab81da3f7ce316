"""Accuracy against cost: who is on the front, what is counted, and what stays unknown."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.orchestrator import Writing
from masrepro.lab.sample import Sample
from masrepro.meta.orchestrator import Written
from masrepro.models.model import Price, Usage
from masrepro.report.cost_claims import cost_claims, cost_figure, published_rows
from masrepro.report.cost_pareto import cost_points, cost_reading, cost_rows, front, pareto_front, time_rows
from masrepro.runtime.trace import Span, Trace

CELLS = ("masbench/depth/2", "masbench/parallel/2")
N = 20
PRICES = {"s": Price(Decimal(1), Decimal(2)), "m": Price(Decimal(10), Decimal(20)), "o": Price(Decimal(3), Decimal(3))}


def sample(system, benchmark, k, right, calls, model, seconds):
    spans = [Span(c, None, "a1", "call", model, 0.0, 1.0, usage=Usage(1, 100, 10, Decimal(0))) for c in range(calls)]
    usage = Usage(calls, 100 * calls, 10 * calls)
    outcome = "correct" if right else "wrong"
    key = (system, benchmark, f"i{k}", 0)
    return Sample(*key, outcome, "1", "1", "1", usage=usage, seconds=seconds, orchestration="x", trace=Trace(spans))


def evaluations(system, share, calls, model="s", seconds=1.0):
    return [
        Evaluation(system, cell, tuple(sample(system, cell, k, k < share * N, calls, model, seconds) for k in range(N)))
        for cell in CELLS
    ]


def everyone():
    return [
        *evaluations("single_agent/s", 0.2, 1),
        *evaluations("single_agent/m", 0.5, 1, "m"),
        *evaluations("cot_sc/s", 0.2, 5),
        *evaluations("star/s", 0.9, 3),
        *evaluations("untrained LOW/0/s", 0.1, 1),
        *evaluations("untrained HIGH/0/s", 0.4, 2),
        *evaluations("untrained HIGH/1/s", 0.8, 4),
    ]


def writings(seconds=2.0):
    usage = {f"i{k}": Usage(1, 50, 50) for k in range(N)}
    names = ("untrained LOW/0", "untrained HIGH/0", "untrained HIGH/1")
    return {(cell, name): Writing(Written(name, {}), "o", usage, seconds) for cell in CELLS for name in names}


def points(prices=PRICES):
    return cost_points(everyone(), writings(), prices)


def named(prices=PRICES):
    return {point.system: point for point in points(prices)}


@pytest.mark.parametrize(
    ("given_points", "kept"),
    [
        ([], []),
        ([(1, 0.5)], [0]),
        ([(2, 0.5), (1, 0.5)], [1]),
        ([(1, 0.4), (1, 0.5)], [1]),
        ([(3, 0.9), (1, 0.2), (2, 0.5), (2.5, 0.4)], [1, 2, 0]),
        ([(1, 0.5), (1, 0.5), (2, 0.5)], [0, 1]),
        ([(1, 0.0), (2, 0.0)], [0]),
    ],
    ids=str,
)
def test_the_front_is_what_no_other_beats(given_points, kept):
    assert pareto_front(given_points) == kept


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_every_point_off_the_front_is_beaten_by_one_on_it_and_none_on_it_is(given_points):
    kept = pareto_front(given_points)
    on_front = [given_points[index] for index in kept]
    for index, (cost, worth) in enumerate(given_points):
        beaten = any((c <= cost and w >= worth) and (c, w) != (cost, worth) for c, w in on_front)
        assert beaten == (index not in kept)
    assert on_front == sorted(on_front)


def test_an_orchestrators_own_calls_tokens_time_and_money_are_counted_in():
    high = named()["untrained HIGH"]
    assert (high.calls, high.tokens, high.writing_tokens) == (3 + 1, 3 * 110 + 100, 100)
    assert high.seconds == 1.0 + 2.0
    # Sub-agents: 3 calls of 100 and 10 tokens at 1 and 2; the orchestrator: 100 tokens at 3, per million.
    assert high.usd == (3 * (100 + 20) + 300) / Decimal(1_000_000)
    assert high.accuracy is not None and high.accuracy.value == pytest.approx(0.6) and high.accuracy.n == 2 * N


def test_money_is_unknown_as_soon_as_one_model_has_no_price():
    unpriced = named({**PRICES, "o": None})
    assert unpriced["untrained LOW"].usd is None and unpriced["cot_sc"].usd is not None
    assert [point.usd for point in points({})] == [None] * 6
    reading = {row["system"]: row["money"] for row in cost_reading(points({}))}
    assert set(reading.values()) == {"unknown"}
    assert {row["usd"] for row in cost_rows(points({}))} == {None}


def test_gains_are_over_the_single_agent_on_the_model_that_serves_the_others():
    own = named()
    assert own["single agent (s)"].over_single is None
    assert own["single agent (m)"].over_single.value == pytest.approx(0.3)
    assert own["untrained HIGH"].over_single.value == pytest.approx(0.4)
    assert own["cot_sc"].over_single.low < 0 < own["cot_sc"].over_single.high


def test_what_knows_the_item_is_on_no_front():
    assert named()["star"].accuracy.value == pytest.approx(0.9)
    assert [point.system for point in front(points(), "tokens")] == ["single agent (m)", "untrained HIGH"]
    assert [point.system for point in front(points(), "usd")] == ["single agent (s)", "untrained HIGH"]
    assert named()["star"].kind == "knows the item"


def test_a_sample_in_error_leaves_no_number_of_its_system_and_no_verdict():
    broken = everyone()
    samples = broken[4].samples
    broken[4] = Evaluation("cot_sc/s", CELLS[0], (Sample(*samples[0].key, "error", None, None, "1"), *samples[1:]))
    measured = cost_points(broken, writings(), PRICES)
    one = next(point for point in measured if point.system == "cot_sc")
    assert one.accuracy is None and one not in front(measured, "calls")
    assert cost_claims(measured, set())[0].verdict.startswith("incomplete: 1 samples")


def test_no_times_stand_in_the_table_that_equal_runs_share():
    again = cost_points(everyone(), writings(seconds=9.0), PRICES)
    assert cost_rows(again) == cost_rows(points())
    assert time_rows(again) != time_rows(points())


@pytest.mark.parametrize(
    ("trained", "verdict"),
    [
        (set(), "not comparable: the paper's orchestrator is trained, none of ours is"),
        ({"untrained HIGH"}, "consistent"),
        ({"untrained LOW"}, "differs"),
    ],
)
def test_a_verdict_on_the_front_is_of_trained_orchestrators(trained, verdict):
    claim, ensemble = cost_claims(points(), trained)
    assert claim.verdict == verdict
    assert "MAS-Orchestra (0.08 USD, 0.657)" in claim.published
    assert ensemble.verdict == "not shown: the interval holds 0" and "5.0 times" in ensemble.ours
    assert cost_claims(points(), trained, comparable=False)[1].verdict == "not comparable: too few items"


def test_published_costs_stand_with_their_doubts():
    rows = {row["system"]: row for row in published_rows()}
    assert rows["CoT"]["calls"] == "228" and rows["MAS-Orchestra"]["US dollars"] == "0.08 ?"
    assert [name for name, row in rows.items() if row["on the front"]] == ["MAS-Orchestra"]


def test_figure_draws_only_costs_that_are_known_and_names_its_points():
    figure = cost_figure(points({}), ("calls", "tokens", "usd"))
    assert [panel.title for panel in figure.panels] == ["calls", "tokens"]
    assert "Not drawn, since no price is known: US dollars" in figure.note
    with_money = cost_figure(points(), ("calls", "tokens", "usd"))
    assert len(with_money.panels) == 3 and not with_money.note
    svg = with_money.svg()
    assert svg.count("untrained HIGH") >= 3 and svg == cost_figure(points(), ("calls", "tokens", "usd")).svg()
    trace = next(t for t in with_money.plotly().data if t.name == "orchestrator")
    assert list(trace.text) == ["untrained LOW", "untrained HIGH"] and with_money.plotly().layout.xaxis.type == "log"
