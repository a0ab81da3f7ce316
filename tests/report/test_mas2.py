"""Published numbers of MAS²."""

import pytest

from masrepro.report.published.mas2 import ablation, worth_of


def test_the_ablation_is_complete_and_sourced():
    values = ablation()
    assert len(values) == 12
    assert all(0 < value.value < 1 and value.repeats == 3 and "2509.24323" in value.where for value in values.values())
    assert values["without rectifier", "MATH"].value == 0.647
    assert [key for key, value in values.items() if value.doubtful] == [("full", "MBPP")]


def test_what_a_part_is_worth():
    assert worth_of("rectifier") == {"MBPP": 0.035, "HotpotQA": 0.021, "MATH": 0.066}
    with pytest.raises(KeyError, match="generator, implementer, rectifier"):
        worth_of("judge")
