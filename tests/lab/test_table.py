from __future__ import annotations

import csv
import io

import pytest

from masrepro.lab.table import Row, csv_text, latex_text, markdown_text

ROWS: list[Row] = [
    {"system": "a|b & c_d", "n": 100, "accuracy": 1 / 3},
    {"system": 'say "x",\nthen', "n": 7, "accuracy": None},
]


def test_csv_keeps_every_digit_and_comes_back() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(ROWS))))
    assert float(rows[0]["accuracy"]) == 1 / 3
    assert rows[1] == {"system": 'say "x",\nthen', "n": "7", "accuracy": ""}


def test_markdown_is_one_line_a_row() -> None:
    assert markdown_text(ROWS) == (
        '| system | n | accuracy |\n| --- | ---: | ---: |\n| a\\|b & c_d | 100 | 0.333 |\n| say "x", then | 7 |  |\n'
    )


def test_latex_escapes_its_special_characters() -> None:
    lines = latex_text(ROWS[:1]).splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[4] == r"a|b \& c\_d & 100 & 0.333 \\"
    assert latex_text([{"x": "~^\\{}%$#"}]).splitlines()[4] == (
        r"\textasciitilde{}\textasciicircum{}\textbackslash{}\{\}\%\$\# \\"
    )


def test_a_table_needs_rows_of_one_shape() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        csv_text([])
    with pytest.raises(ValueError, match="row 2 has the columns"):
        markdown_text([{"a": 1}, {"b": 1}])
