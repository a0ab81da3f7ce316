"""Sub-agents alone on public benchmarks: the published frame, our rows beside it, and what is said without any."""

import pytest

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.lab.table import csv_text, latex_text, markdown_text
from masrepro.models.model import Usage
from masrepro.report.public import (
    NAMES,
    missing_text,
    public_claims,
    public_reading,
    public_rows,
    published_rows,
)
from masrepro.report.published import table_3

OUTCOMES = {"c": "correct", "w": "wrong", "u": "unparsed", "t": "truncated", "e": "error"}


def evaluation(system, benchmark, outcomes):
    """One sample an item, of two calls each; outcomes as a string."""
    samples = tuple(
        Sample(system, benchmark, f"item{k}", 0, OUTCOMES[letter], "1", "1", "1", usage=Usage(2, 30, 7), seconds=1.5)
        for k, letter in enumerate(outcomes)
    )
    return Evaluation(system, benchmark, samples)


def test_table_3_as_printed():
    table = table_3()
    assert len(table) == 51
    assert table["CoT", "aime24"].value == 0.5
    assert table["Search", "hotpotqa"].value == 0.4644
    assert table["MAS-Orchestra", "browsecomp-plus"].value == 0.11
    assert ("Search", "gpqa-diamond") not in table
    best = {name: max(s.value for (_, of), s in table.items() if of == name) for _, name in table}
    assert best["gpqa-diamond"] == table["AFlow", "gpqa-diamond"].value  # not the paper's own system
    assert best["aime24"] == table["MAS-Orchestra", "aime24"].value


@pytest.mark.parametrize("score", table_3().values(), ids=lambda score: f"{score.system} {score.benchmark}")
def test_every_published_score_has_its_source_and_size(score):
    assert 0.0 <= score.value <= 1.0
    assert score.n in (30, 198, 200) and score.repeats == 8
    assert score.where == "table 3" and "2601.14652" in score.version
    assert score.sub_agent == "GPT-OSS-120B (low)"


def test_the_frame_has_a_row_a_system_and_gaps_where_nothing_was_run():
    rows = published_rows()
    assert [row["system"] for row in rows[:5]] == list(NAMES.values())
    assert rows[4]["aime24"] is None and rows[4]["hotpotqa"] == "46.44"
    assert rows[-1]["system"] == "MAS-Orchestra"
    for text in (csv_text(rows), markdown_text(rows), latex_text(rows)):
        assert "46.44" in text and "1.00" in text


def test_rows_keep_outcomes_apart_and_count_calls_and_tokens():
    (row,) = public_rows([evaluation("cot_sc", "gsm8k", "cwut")])
    assert row["sub-agent"] == "SC"
    assert row["right"] == 0.25 and row["right_low"] < 0.25 < row["right_high"]
    assert row["outcomes"] == "1 correct, 1 wrong, 1 unparsed, 1 truncated"
    assert (row["items"], row["calls"], row["prompt tokens"], row["completion tokens"]) == (4, 8, 120, 28)
    assert row["paper"] is None  # not in table 3


def test_hotpotqa_stands_beside_the_papers():
    reading = public_reading([evaluation("deep_research", "hotpotqa/fullwiki", "cw")])
    assert reading[0]["paper"] == 0.4644
    assert reading[0]["seconds a sample"] == 1.5


def test_an_error_leaves_no_number():
    broken = evaluation("cot", "hotpotqa/fullwiki", "ce")
    (row,) = public_rows([broken])
    assert row["right"] is None and row["right_low"] is None
    assert public_reading([broken])[0]["right"] == "missing"
    assert public_claims([broken], "SmolLM2-135M", {})[0].verdict.startswith("incomplete: 1 sample")


def test_a_small_model_is_never_called_consistent():
    measured = [evaluation(name, "hotpotqa/fullwiki", "cw") for name in NAMES]
    for claim in public_claims(measured, "SmolLM2-135M", {}):
        assert claim.verdict.startswith("not comparable: SmolLM2-135M, ")
        assert "CoT 0.336" in claim.published and "CoT 0.50" in claim.ours


def test_without_model_and_data_claims_hold_the_published_values_only():
    missing = {"the model": "install it with: make smollm", "gsm8k": "no file\nin no folder"}
    for claim in public_claims([], "SmolLM2-135M", missing):
        assert claim.ours == "not measured"
        assert claim.verdict == "incomplete: not there: the model"
        assert "CoT 0.336" in claim.published
    told = missing_text(missing)
    assert "make smollm" in told and "gsm8k" in told
    assert missing_text({}) == ""
