"""Published numbers of MAS²: as printed, sourced, and within what their denominators allow or marked."""

import pytest

from masrepro.report.published import fits
from masrepro.report.published.mas2 import (
    OURS,
    ablation,
    cross_backbone,
    frontier,
    margins,
    statements,
    table_1,
    worth_of,
)


def test_table_1_is_complete_and_sourced():
    table = table_1()
    systems = dict.fromkeys(system for system, _ in table)
    assert len(table) == 16 * 7 and len(systems) == 16
    assert [score.group for (_, name), score in table.items() if name == "MATH"] == ["models"] * 5 + [
        "systems"
    ] * 10 + ["ours"]
    for score in table.values():
        assert (
            0 < score.value < 1 and score.repeats == 3 and score.grader == "not stated" and "2509.24323" in score.where
        )
    assert table[OURS, "BrowseComp+"].value == 0.197 and table["SC", "HumanEval"].value == 0.963


def test_accuracies_are_shares_of_their_answers_or_marked():
    known = [score for score in table_1().values() if score.n]
    assert {(score.benchmark, score.n) for score in known} == {("Bamboogle", 125), ("HumanEval", 164), ("MBPP", 500)}
    for score in known:
        assert fits(100 * score.value, score.n, score.repeats, decimals=1) == score.fits, score
    assert sum(not score.fits for score in known) == 6


def test_models_alone_have_values_of_one_run():
    for score in table_1().values():
        if score.group == "models" and score.n:
            assert fits(100 * score.value, score.n, 1, decimals=1), score


def test_margins_over_the_best_other():
    assert margins() == {
        "HotpotQA": ("ScoreFlow", 0.033),
        "Bamboogle": ("ScoreFlow", 0.024),
        "NQ": ("ScoreFlow", 0.027),
        "BrowseComp+": ("CoT", 0.036),
        "HumanEval": ("SC", 0.007),
        "MBPP": ("ScoreFlow", 0.004),
        "MATH": ("MaAS", 0.012),
    }


def test_19_point_6_is_over_the_mean_of_the_models_alone():
    table = table_1()
    alone = [score.value for score in table.values() if score.group == "models" and score.benchmark == "HumanEval"]
    assert table[OURS, "HumanEval"].value - sum(alone) / len(alone) == pytest.approx(0.196, abs=5e-4)
    assert "mean of five models alone" in statements()[0].odd


def test_cells_that_equal_another_table_are_counted_by_system():
    same = {score.system: score.same_as_scoreflow for score in table_1().values() if score.same_as_scoreflow}
    assert same == {"MedPrompt": 2, "MultiPersona": 2, "ADAS": 4, "AFlow": 3, "ScoreFlow": 4}
    assert sum(same.values()) == 15


def test_the_ablation_is_complete_and_sourced():
    values = ablation()
    assert len(values) == 12
    assert all(0 < value.value < 1 and value.repeats == 3 and "2509.24323" in value.where for value in values.values())
    assert values["without rectifier", "MATH"].value == 0.647
    assert [key for key, value in values.items() if value.doubtful] == [("full", "MBPP")]


def test_the_ablation_and_table_1_agree_but_where_it_is_marked():
    table = table_1()
    for (system, benchmark), value in ablation().items():
        if system == "full":
            assert (value.value == table[OURS, benchmark].value) != value.doubtful


def test_what_a_part_is_worth():
    assert worth_of("rectifier") == {"MBPP": 0.035, "HotpotQA": 0.021, "MATH": 0.066}
    with pytest.raises(KeyError, match="generator, implementer, rectifier"):
        worth_of("judge")


def test_the_cross_backbone_table_is_complete_and_marked():
    cells = cross_backbone()
    assert len(cells) == 7 * 2
    assert cells["+ GPT-5-Mini + Gemini-2.5-Pro", "MATH"].added == ("GPT-5-Mini", "Gemini-2.5-Pro")
    for (row, benchmark), cell in cells.items():
        assert cell.usd > 0 and cell.alone == cell.by_price
        assert all((name, benchmark) in cells for name in cell.added)
        if cell.n:
            assert fits(100 * cell.value, cell.n, cell.repeats, decimals=1) == cell.fits, row


def test_the_old_pool_has_table_1s_accuracies():
    cells, table = cross_backbone(), table_1()
    for benchmark in ("MATH", "Bamboogle"):
        assert cells[OURS, benchmark].value == table[OURS, benchmark].value


def test_what_is_said_of_figure_3_agrees_with_table_1():
    table = table_1()
    for one in frontier():
        gain = table[OURS, one.benchmark].value - table[one.other, one.benchmark].value
        assert gain == pytest.approx(one.gain) and one.at_least_times_the_cost >= 1


def test_every_odd_sentence_says_what_is_odd():
    assert len(statements()) == 6
    assert all(one.said and one.where and one.odd for one in statements())
