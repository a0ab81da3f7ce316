"""What a rectifier writes: read strictly, and every refusal says where and how to mend it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.orchestration import Agent, Orchestration, OrchestrationError
from masrepro.runtime import Edit
from masrepro.runtime.edits import NOTHING, read_change, write_change


def test_edits_are_read_one_a_call():
    text = 'change_agent(id="a1", goal="Find \\sqrt{2}.")\nchange_agent(id="a2", tools=[], backbone="m")'
    assert read_change(text) == [Edit("a1", goal="Find \\sqrt{2}."), Edit("a2", tools=(), backbone="m")]


def test_thinking_and_a_fence_are_tolerated():
    text = '<think>change_agent(id="zz", goal="")</think>\n```python\nchange_agent(id="a1", role="r")\n```'
    assert read_change(text) == [Edit("a1", role="r")]


@pytest.mark.parametrize("text", [NOTHING, "Nothing to change.", f"\n{NOTHING}\n"])
def test_nothing_to_change(text):
    assert read_change(text) is None


def test_calls_that_create_are_a_whole_new_system():
    plan = Orchestration((Agent("a1", "solver", "Find it."),))
    assert read_change(plan.to("calls")) == plan
    assert read_change('answer(text="7")') == Orchestration(answer="7")


@pytest.mark.parametrize(
    ("text", "rule", "where"),
    [
        ("I would change the goal.", "syntax", "line 1"),
        ('change_agent(id="a1")', "no-change", "line 1, column 1"),
        ('change_agent(goal="x")', "missing-argument", "line 1, column 1"),
        ('change_agent(id="a1", aim="x")', "unknown-argument", "line 1, column 23"),
        ('change_agent(id="a1", tools="search")', "wrong-type", "line 1, column 23"),
        ('change_agent("a1", goal="x")', "positional-argument", "line 1, column 14"),
        ('change_agent(id="a1", goal=1 + 1)', "not-a-literal", "line 1, column 28"),
        ('change_agent(id="a1", goal="x")\nchange_agent(id="a1", role="y")', "repeated-agent", "line 2, column 1"),
        ('change_agent(id="a1", goal="x")\nimport os', "not-a-call", "line 2, column 1"),
        (
            'change_agent(id="a1", goal="x")\ncreate_agent(id="a2", role="", goal="")',
            "unknown-call",
            "line 2, column 1",
        ),
        ('change_agent(id="a1", goal="x', "syntax", "line 1, column 28"),
        ("", "nothing-built", "line 1, column 1"),
    ],
)
def test_anything_else_is_refused(text, rule, where):
    with pytest.raises(OrchestrationError) as refused:
        read_change(text)
    assert refused.value.rule == rule
    assert refused.value.where.startswith(where)
    assert refused.value.hint.endswith((".", ")", "change", "\\\\"))


def test_nothing_in_the_text_is_run():
    with pytest.raises(OrchestrationError):
        read_change('change_agent(id=__import__("os").getcwd(), goal="x")')


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
EDITS = st.builds(
    Edit,
    st.from_regex(r"[a-z0-9_]{1,4}", fullmatch=True),
    role=TEXTS,
    goal=st.none() | TEXTS,
    tools=st.none() | st.lists(TEXTS, max_size=2).map(tuple),
    backbone=st.none() | TEXTS,
)


@given(st.lists(EDITS, min_size=1, max_size=4, unique_by=lambda edit: edit.id))
def test_what_is_written_is_read_back(edits):
    assert read_change(write_change(edits)) == edits
    assert read_change(write_change(None)) is None
