"""Assignments of backbones: what is told, and what is read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from masrepro.meta.implementer import Implementer
from masrepro.models import Completion, Pool, Price, Sampling, Usage
from masrepro.models.desk import load_desk_model
from masrepro.orchestration import Agent, Flow, Orchestration, OrchestrationError
from masrepro.runtime.assignment import read_assignment

TEMPLATE = Orchestration((Agent("a1", "solver", "Find it."), Agent("a2", "writer", "Write it.")), (Flow("a1", "a2"),))


@pytest.fixture(scope="module")
def solver():
    return load_desk_model("desk-solver-s")


def priced(name: str, usd: str):
    class Priced:
        revision, context_tokens, price = "1", 100, Price(Decimal(usd), Decimal(usd))

        async def complete(self, messages, sampling):
            raise NotImplementedError

    model = Priced()
    model.name = name
    return model


POOL = Pool({"desk-solver-s": priced("desk-solver-s", "0.1"), "desk-solver-m": priced("desk-solver-m", "0.2")})


@pytest.mark.parametrize(
    "text",
    [
        "a1: desk-solver-s\na2: desk-solver-m",
        "<think>a1: other</think>\n```\na2: desk-solver-m\n\na1:desk-solver-s\n```",
        '{"a1": "desk-solver-s", "a2": "desk-solver-m"}',
    ],
)
def test_lines_and_json_are_read(text):
    staffed = Implementer(POOL["desk-solver-s"], POOL).read(Completion(text, "stop", Usage()), TEMPLATE)
    assert [agent.backbone for agent in staffed.agents] == ["desk-solver-s", "desk-solver-m"]
    assert not staffed.is_template


@pytest.mark.parametrize(
    ("text", "rule", "where"),
    [
        ("a1: m\na3: m", "unknown-agent", "line 2, column 1"),
        ("a1: m\na2: gpt-9", "unknown-backbone", "line 2, column 1"),
        ("a1: m\na1: m", "repeated-agent", "line 2, column 1"),
        ("a1: m", "missing-agent", "the end"),
        ("Use m for all.", "syntax", "line 1, column 1"),
        ('{"a1": 3, "a2": "m"}', "syntax", "line 1, column 1"),
        ('{"a1": "m", "a1": "m", "a2": "m"}', "repeated-agent", "line 1, column 1"),
        ('{"a1": "m"', "syntax", "line 1, column 1"),
        ("", "nothing-built", "line 1, column 1"),
    ],
)
def test_anything_else_is_refused_with_place_and_remedy(text, rule, where):
    with pytest.raises(OrchestrationError) as refused:
        read_assignment(text, ["a1", "a2"], ["m", "s"])
    assert (refused.value.rule, refused.value.where) == (rule, where)


def test_a_reply_that_was_cut_off_is_no_assignment():
    with pytest.raises(OrchestrationError, match="cut-off"):
        Implementer(POOL["desk-solver-s"], POOL).read(Completion("a1: desk", "length", Usage()), TEMPLATE)


def test_it_is_told_the_system_the_prices_and_the_abilities():
    system, user = Implementer(POOL["desk-solver-s"], POOL, {"desk-solver-m": "long chains"}).messages("Q?", TEMPLATE)
    assert "- desk-solver-m: long chains" in system.content
    assert user.content == (
        f"Q?\n\nSystem:\n{TEMPLATE.to('calls')}\n\nModels: desk-solver-s (0.1 / 0.1), desk-solver-m (0.2 / 0.2)"
    )


async def test_a_model_is_asked(solver):
    pool = Pool.of(solver)
    implementer = Implementer(solver, pool)
    completion = await implementer.ask("Q?", TEMPLATE, Sampling(max_tokens=8))
    assert completion.usage.calls == 1
    with pytest.raises(OrchestrationError):  # a solver solves; it knows nothing of assignments
        implementer.read(completion, TEMPLATE)
