from __future__ import annotations

import pytest

from masrepro.agents import CoT, Input, Output, Task, cot_messages
from masrepro.agents.cot import read_output
from masrepro.models.model import Completion, Usage
from masrepro.orchestration import Agent

QUESTION = "Each Mill's Crate equals 4.\nWhat is the number of each Harbor's Basket?"


def user_turn(goal: str = "", *inputs: Input, rationale_chars: int | None = None, question: str = QUESTION) -> str:
    return cot_messages(Task(question, Agent("b", "", goal), inputs), rationale_chars)[-1].content


def test_the_user_turn_is_fixed_byte_for_byte():
    assert user_turn(
        "Find the number of each Harbor's Basket.",
        Input("a1", "the number of each Mill's Crate", "4"),
        Input("a2", "Problem 2", "7"),
    ) == (
        f"{QUESTION}\n"
        "\n"
        "From a1 (the number of each Mill's Crate): 4\n"
        "From a2 (Problem 2): 7\n"
        "\n"
        "Goal: Find the number of each Harbor's Basket."
    )


def test_a_single_agent_sees_the_question_alone():
    assert user_turn() == QUESTION


def test_parts_that_are_empty_are_left_out():
    assert user_turn("Go.", question="") == "Goal: Go."
    assert user_turn("", Input("a", "", "4")) == f"{QUESTION}\n\nFrom a: 4"


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (None, "no answer"),
        ("4", "4"),
        (r"\boxed{4}", "4"),
        (r" \boxed{ 4 } ", "4"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed{a\}b}", r"a\}b"),
        (r"\boxed{4}, \boxed{5}", r"\boxed{4}, \boxed{5}"),
        ("\\boxed{4}\n\\boxed{5}", "\\boxed{4}\n\\boxed{5}"),
        (r"\boxed{4} apples", r"\boxed{4} apples"),
        (r"\boxed{4{}", r"\boxed{4{}"),
    ],
)
def test_an_answer_that_is_exactly_one_box_is_unwrapped(answer, shown):
    assert user_turn("", Input("a", "", answer)) == f"{QUESTION}\n\nFrom a: {shown}"
    assert user_turn("Add ${a}.", Input("a", "", answer)).endswith(f"Goal: Add {shown}.")


def test_a_rationale_follows_its_answer_cut_to_the_bound():
    given = Input("a", "x", "4", "0123456789")
    assert user_turn("", given).endswith("From a (x): 4\n0123456789")
    assert user_turn("", given, rationale_chars=3).endswith("From a (x): 4\n012")
    assert user_turn("", given, rationale_chars=0).endswith("From a (x): 4")


def test_references_are_replaced_once_and_answers_stay_data():
    goal = "${a} and ${b}, ${c}, $a, ${a b}, {a}"
    turn = user_turn(goal, Input("a", "", "${b}"), Input("b", "", r"\g<0> \1 {x} <y> & \"ü\" ${a}"))
    assert turn.endswith(r"Goal: ${b} and \g<0> \1 {x} <y> & \"ü\" ${a}, ${c}, $a, ${a b}, {a}")


@pytest.mark.parametrize("text", ["{x} {{y}}", "<think>", "a & b", "\"'`", "ünï\u2028codé \U0001f600", "%s $a \\n"])
def test_text_arrives_as_it_was_written(text):
    assert user_turn(text, Input("a", text, text), question=text) == (
        f"{text}\n\nFrom a ({text}): {text}\n\nGoal: {text}"
    )


def test_the_role_is_told_in_the_system_turn():
    system = cot_messages(Task("Q", Agent("a", "a careful solver", "Go.")))[0]
    assert system.role == "system"
    assert system.content.startswith("Your role: a careful solver\nThink step by step.")
    assert cot_messages(Task("Q", Agent("a", "", "Go.")))[0].content.startswith("Think step by step.")


@pytest.mark.parametrize(
    ("text", "finish", "answer", "rationale"),
    [
        ("I think.\nAnswer: \\boxed{4}", "stop", r"\boxed{4}", "I think."),
        ("Answer: 4", "stop", "4", ""),
        ("Answer: 1\nno\nAnswer: 2\n", "stop", "2", "Answer: 1\nno"),
        ("x\nAnswer:\n\\boxed{1}\n\\boxed{2}\n", "stop", "\\boxed{1}\n\\boxed{2}", "x"),
        ("The Answer: 4", "stop", "The Answer: 4", ""),
        ("  just 4 \n", "stop", "just 4", ""),
        ("x\nAnswer: 4", "length", "4", "x"),
        ("so \\boxed{7} perhaps", "length", None, "so \\boxed{7} perhaps"),
        ("x\nAnswer: ", "length", None, "x"),
        ("x\nAnswer:", "stop", None, "x"),
        (" \n", "stop", None, ""),
    ],
)
def test_the_answer_follows_the_last_marker_at_the_start_of_a_line(text, finish, answer, rationale):
    assert read_output(text, finish) == Output(answer, rationale, finish)


async def test_cot_makes_one_call():
    sent = []

    async def call(messages, **change):
        sent.append((messages, change))
        return Completion("x\nAnswer: 4", "stop", Usage(1, 10, 5))

    task = Task("Q", Agent("a", "", "Go."))
    assert await CoT().act(task, call) == Output("4", "x", "stop")
    assert sent == [(cot_messages(task), {})]
    assert CoT().n_calls(task.agent) == 1
