"""The calls notation: what its literals mean, and that nothing in it is ever run."""

from __future__ import annotations

import warnings

import pytest

from masrepro.orchestration import Flow, OrchestrationError, parse


def goal_of(literal: str) -> str:
    """The goal that a Python literal gives, read with every warning an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return parse(f'create_agent(id="a", role="x", goal={literal})').agents[0].goal


@pytest.mark.parametrize(
    ("literal", "goal"),
    [
        (r'"\sqrt{2} \cdot \q"', r"\sqrt{2} \cdot \q"),
        (r'"a\\nb \q"', r"a\nb \q"),
        (r'"tab\t \q quote\""', 'tab\t \\q quote"'),
        (r"'it\'s \q'", r"it's \q"),
        (r'"\ue000 \q"', "\ue000 \\q"),
        (r'r"\s\n \""', r"\s\n \""),
        (r"r'''\q'''", r"\q"),
        ('"""a\r\nb\rc\nd"""', "a\r\nb\rc\nd"),
        ('"""say "hi" \\q"""', 'say "hi" \\q'),
        ("'''it's \\q # from = '''", "it's \\q # from = "),
        ("'a\\\nb'", "ab"),
        ("'a\\\r\nb \\q'", "ab \\q"),
        ('"a " "b \\q"', "a b \\q"),
        ('"from = to = "', "from = to = "),
        ('"\u2028\u0085\x0c\x1c\ufeff"', "\u2028\u0085\x0c\x1c\ufeff"),
        ('"${} $a $ {a} \\\\${"', "${} $a $ {a} \\${"),
    ],
)
def test_literal_is_read_as_it_is_meant(literal, goal):
    assert goal_of(literal) == goal


def test_from_and_to_stand_for_source_and_target():
    text = """
create_agent(id="a", role="from = \\q", goal="from = 'x'")  # from = nothing
create_agent(id="b", role="", goal="")
create_agent(id="c", role="", goal="")
create_flow(from="a", to="b", payload="from = a")
create_flow(to = "c", from
 = "b")
"""
    plan = parse(text)
    assert plan.flows == (Flow("a", "b", "from = a"), Flow("b", "c"))
    assert plan.agents[0].role == "from = \\q"


def test_optional_arguments_may_be_none():
    text = 'create_agent(id="a", role="r", goal="g", workflow=None, tools=None, roles=None, backbone=None)'
    assert parse(text) == parse('create_agent(id="a", role="r", goal="g")')


def test_layout_and_remarks_do_not_matter():
    plain = 'create_agent(id="a", role="r", goal="g", tools=["search", "python"])'
    free = """
  # first
    create_agent(
  goal="g",
tools=("search",
 "python",),  # two
  id="a", role="r",
);
"""
    assert parse(free) == parse(plain)


def test_place_is_right_behind_widened_text():
    text = 'create_agent(id="é", role="\\q\\q\r", goal=5)'.replace("\r", "")
    with pytest.raises(OrchestrationError) as caught:
        parse(text)
    assert caught.value.where == f"line 1, column {text.index('goal') + 1}"
    with pytest.raises(OrchestrationError) as caught:
        parse('create_agent(id="a", role="""\\q\r\né""", goal=5)')
    assert caught.value.where == "line 2, column 7"


def test_long_plan_is_read_in_pieces_as_it_is_read_whole():
    lines = [f'create_agent(id="a{i}", role="r", goal="""{")" if i % 3 else "x"}""")' for i in range(900)]
    lines[450] = 'create_agent(id="a450", role="""one)\ncreate_agent(id="quoted")\n""", goal="g")'
    flows = [f'create_flow(source="a{i}", target="a{i + 1}")' for i in range(899)]
    for end in ("\n", "\r\n"):
        plan = parse(end.join(lines + flows))
        assert len(plan.agents) == 900 and plan.longest_chain == 900
        assert plan.agents[450].role == 'one)\ncreate_agent(id="quoted")\n'
    broken = [*lines, "create_flow(source=a0)", *flows]
    with pytest.raises(OrchestrationError) as caught:
        parse("\n".join(broken))
    assert caught.value.where == "line 903, column 20"


def test_quoted_piece_start_does_not_cut_a_text():
    quoted = 'x)\ncreate_agent(id="b", role="", goal="")\n' * 500
    plan = parse(f'create_agent(id="a", role="""{quoted}""", goal="")')
    assert len(plan.agents) == 1 and plan.agents[0].role == quoted


@pytest.mark.parametrize(
    "text",
    [
        'create_agent(id="a", role="x", goal=open("pwned", "w").write("x"))',
        '__import__("os").system("touch pwned")',
        'create_agent(id="a", role="x", goal=f"{open(\'pwned\', \'w\')}")',
        'create_agent(id=[open("pwned", "w") for _ in range(1)], role="", goal="")',
        '(lambda: open("pwned", "w"))()',
        "exec(\"open('pwned', 'w')\")",
        '@open("pwned", "w").write\ndef f(): pass',
        'create_agent.__globals__["open"]("pwned", "w")',
    ],
)
def test_nothing_is_executed(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OrchestrationError):
        parse(text)
    assert list(tmp_path.iterdir()) == []
