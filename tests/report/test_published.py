"""Published numbers: complete, sourced, and within what their denominators allow."""

import pytest

from masrepro.report.published import figure_3

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
