from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from masrepro.lab.strict_yaml import read_scalar, read_yaml

SILENT_CHANGES = [
    # text, what the message must hold
    ("no", "false"),
    ("yes", "true"),
    ("on", "true"),
    ("OFF", "false"),
    ("012", "write 12"),
    ("08", "write 8"),
    ("-012", "write -12"),
    ("10:30", "630"),
    ("1_000", "1000"),
    ("0b11", "is 3"),
    ("0o17", "in different ways"),
    ("2026-11-29", "in different ways"),
    ("2026-13-45", "in different ways"),
    ("<<", "in different ways"),
    ("=", "in different ways"),
]

PLAIN = [
    ("1e-5", 1e-5),
    ("1.0e5", 1e5),
    ("1E+3", 1e3),
    (".5", 0.5),
    ("3.", 3.0),
    ("-7", -7),
    ("0x1f", 31),
    ("true", True),
    ("False", False),
    ("~", None),
    ("null", None),
    ("desk-solver-s", "desk-solver-s"),
    ("'no'", "no"),
    ('"012"', "012"),
    ("[2, 4]", [2, 4]),
    ("{depth: [2]}", {"depth": [2]}),
    ("", None),
]


@pytest.mark.parametrize(("text", "told"), SILENT_CHANGES)
def test_a_value_that_yaml_1_1_reads_otherwise_is_refused_with_key_value_line_and_remedy(text: str, told: str) -> None:
    document = read_yaml(f"seed: 1\nname: {text}\n")
    (problem,) = document.problems
    assert problem.line == 2
    assert problem.what.startswith(f"`name: {text}`")
    assert told in problem.what and f'"{text}"' in problem.what
    assert document.refused == {"name"}


@pytest.mark.parametrize(("text", "value"), PLAIN)
def test_a_plain_value_is_read_by_yaml_1_2(text: str, value: Any) -> None:
    document = read_yaml(f"name: {text}\n")
    assert not document.problems
    assert document.value == {"name": value}
    assert type(document.value["name"]) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", 0, "is empty"),
        ("# only a comment\n", 0, "is empty"),
        ("a: 1\nb: 2\na: 3\n", 3, "repeated key a, first in line 1"),
        ("a: {b: 1, b: 2}\n", 1, "repeated key a.b"),
        ("a: 1\nno: 2\n", 2, "`key: no`"),
        ("2: 3\n", 1, "the key 2 is not text"),
        ("? [a, b]\n: 3\n", 1, "is not text"),
        ("a: &x 1\n", 1, "anchors"),
        ("a: 1\nb: *x\n", 2, "anchors"),
        ("a: !!int '3'\n", 1, "tags"),
        ("a: !!python/object/apply:os.system ['true']\n", 1, "tags"),
        ("a: [1, 2\n", 2, "not valid YAML"),
        ("a: b: c\n", 1, "mapping values are not allowed"),
        ("a: 1\n---\nb: 2\n", 2, "another document"),
        ("a: 1\n\tb: 2\n", 2, "not valid YAML"),
        ("a: 1\nb: \x01\n", 2, "not valid YAML"),
        (f"a: {'9' * 5000}\n", 1, "in different ways"),
        (f"a: {'[' * 5000}", 0, "nested too deeply"),
    ],
)
def test_faults_of_a_text_are_named_with_their_line(text: str, line: int, told: str) -> None:
    (problem,) = read_yaml(text).problems
    assert problem.line == line
    assert told in problem.what


def test_all_problems_are_listed_at_once() -> None:
    problems = read_yaml("a: no\nb: 012\nb: 1\naxes: {depth: [2, 10:30]}\n").problems
    assert [problem.line for problem in problems] == [1, 2, 3, 4]
    assert "axes.depth.1: 10:30" in problems[-1].what


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_and_every_problem_says_what_it_is(text: str) -> None:
    assert all(problem.what for problem in read_yaml(text).problems)


# A text such as 1e100 is plain to a writer of YAML 1.1, and a number here: that is the point.
TEXTS = st.text(max_size=12).filter(lambda text: not isinstance(read_scalar(text), float))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS


@settings(deadline=None)
@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS.filter(bool), inner), max_leaves=12))
def test_what_a_writer_of_yaml_1_1_writes_comes_back(value: Any) -> None:
    document = read_yaml(yaml.safe_dump({"value": value}, default_flow_style=False))
    if not document.problems:  # text that the writer left plain, and the two versions take differently
        assert document.value == {"value": value}


@settings(deadline=None)
@given(st.floats(allow_nan=False))
def test_python_floats_are_read_exactly(number: float) -> None:
    text = "inf" if math.isinf(number) else repr(number)
    assert read_scalar(text.replace("inf", ".inf" if number > 0 else "-.inf")) == number
