"""Published numbers: complete, sourced, and within what their denominators allow."""

import pytest

from masrepro.report.published import FIGURES, figure, figure_3, fits, shapes_written, table_3, table_d2

CELLS = [
    (axis, sub_agent)
    for axis in ("depth", "breadth", "parallel", "horizon")
    for sub_agent in ("Qwen2.5-7B-Instruct", "GPT-OSS-120B (low)")
]


@pytest.mark.parametrize(("axis", "sub_agent"), CELLS)
def test_every_value_has_its_source_and_size(axis, sub_agent):
    values = figure_3(axis, sub_agent=sub_agent)
    assert {system for system, _ in values} == {"sas", "mas"}
    for published in values.values():
        assert 0.0 <= published.value <= 1.0
        assert published.n > 0
        assert published.repeats == 8
        assert "2601.14652" in published.version


def test_figure_3_as_printed():
    values = figure_3("parallel")
    assert values["sas", 2].value == 0.295
    assert values["mas", 2].value == 0.400
    assert figure_3("depth")["sas", 12].n == 197


def test_unknown_axis_lists_those_there_are():
    with pytest.raises(KeyError, match="depth, breadth, parallel, horizon"):
        figure_3("width")


def test_printed_accuracies_are_shares_of_their_answers_or_marked():
    table = table_3()
    assert len(table) == 51
    for score in table.values():
        assert fits(round(100 * score.value, 2), score.n, score.repeats) == score.fits, score
    assert sum(not score.fits for score in table.values()) == 4


def test_a_share_fits_its_denominator_or_not():
    assert fits(66.25, 30, 8) and fits(33.56, 200, 8) and fits(1.12, 200, 8)
    assert not fits(45.56, 30, 8)
    assert fits(45.56, 30, 3)


def test_the_papers_own_systems_have_their_degree():
    degrees = {benchmark: score.dom for (system, benchmark), score in table_3().items() if system == "MAS-Orchestra"}
    assert [name for name, dom in degrees.items() if dom == "HIGH"] == ["hotpotqa", "browsecomp-plus"]


@pytest.mark.parametrize("number", FIGURES)
def test_values_of_every_figure_are_shares_of_known_items(number):
    values = figure(number)
    assert values
    keys = [(p.setting, p.axis, p.system, p.axis_value) for p in values]
    assert len(set(keys)) == len(keys)
    for published in values:
        assert 0.0 <= published.value <= 1.0
        assert published.repeats == 8 and published.grader and published.sub_agent and published.setting
        assert published.n or (published.axis, published.axis_value) == ("robustness", 8)


def test_figures_that_repeat_values_agree():
    known = {
        axis: figure_3(axis, sub_agent="GPT-OSS-120B (low)") for axis in ("depth", "breadth", "parallel", "horizon")
    }
    repeated = [p for p in figure("4") if p.setting == "Qwen2.5-7B-Instruct"]
    repeated += [p for p in figure("c3") if p.setting == "separate"]
    assert len(repeated) == 12 + 9
    assert all(p.value == known[p.axis][p.system, p.axis_value].value for p in repeated)


def test_costs_are_those_of_their_workflows_or_marked():
    """One pass needs at least one call a question; those of fixed size need exactly so many, but for repeated calls."""
    table = table_d2()
    assert len(table) == 18
    n = {"aime24": 30, "gpqa-diamond": 198}
    for (system, benchmark), cost in table.items():
        assert cost.calls >= n[benchmark] and cost.tokens > 0 and cost.usd > 0 and cost.seconds > 0
        fixed = {"CoT": 1, "SC": 5, "Debate": 11}.get(system)
        if fixed:
            assert 0 <= cost.calls - fixed * n[benchmark] <= 6
        least_of_debate_and_reflexion = 2 * n[benchmark]
        assert cost.doubt == (system == "MAS-Orchestra" and cost.calls < least_of_debate_and_reflexion)


def test_what_is_written_is_said_of_every_figure():
    assert shapes_written("c2")["shapes"]["depth"]["agents"] == 3
    assert shapes_written("c6")["shares"]["instruction-tuned orchestrator, 3 agents"] == [0.23, 0.82]
    for number in ("d1", "d2", "d3"):
        for first, last in shapes_written(number)["shares"].values():
            assert 0 <= first <= 1 and 0 <= last <= 1
    with pytest.raises(KeyError, match="c2, c6, d1, d2, d3"):
        shapes_written("3")
    with pytest.raises(KeyError, match="c1, 4, c5, 5, c7, c3, c4"):
        figure("3")
