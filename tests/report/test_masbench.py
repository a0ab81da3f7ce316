"""What MASBench's items are like, told from items whose figures are known by hand."""

import pytest

from masrepro.bench import benchmark
from masrepro.report.masbench import answers_figure, length_figure, summary


def cells(option=""):
    return [summary(benchmark(f"masbench/{axis}/{v}{option}", n=30)) for axis in ("depth", "horizon") for v in (2, 8)]


def test_summary_counts_what_the_items_hold():
    items = benchmark("masbench/parallel/3", n=30)
    found = summary(items)
    assert (found.benchmark, found.axis, found.value, found.n) == ("masbench/parallel/3", "parallel", 3, 30)
    assert found.distractors == 3
    assert found.operations == 6
    answers = [answer for item in items for answer in item.answer]
    assert found.commonest == pytest.approx(max(answers.count(answer) for answer in answers) / 90)
    assert found.zero == pytest.approx(answers.count("0") / 90)


def test_length_is_flat_only_where_it_is_held_fixed():
    plain, fixed = cells(), cells("/fixed")
    as_it_comes, held = length_figure(plain, fixed).panels
    for grows, flat in zip(as_it_comes.series, held.series, strict=True):
        assert grows.y[1] > 1.5 * grows.y[0]
        assert flat.y[1] == pytest.approx(flat.y[0], rel=0.1)


def test_figures_are_drawn_with_every_axis():
    figure = answers_figure(cells())
    assert [series.label for series in figure.panels[0].series] == ["depth", "horizon"]
    assert "</svg>" in figure.svg()
