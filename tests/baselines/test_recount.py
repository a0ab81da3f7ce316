"""A check that recounts a reply's own steps."""

from __future__ import annotations

from random import Random

import pytest

from masrepro.agents import Output
from masrepro.agents.cot import read_output
from masrepro.baselines.recount import recount
from masrepro.bench import benchmark
from masrepro.models.faults import corrupted
from masrepro.orchestration import Agent
from masrepro.train.desk_replies import whole_reply

AGENT = Agent("a", "", "")


@pytest.mark.parametrize(
    ("rationale", "answer", "said"),
    [
        ("X is 18 + 13 = 8.", "\\boxed{8}", None),
        ("X is 2 * 18 = 13. Y is 5 - 6 = 22.", "22", None),
        ("X is 18 + 13 = 9.", "\\boxed{9}", "18 + 13 is not 9"),
        ("X is 18 + 13 = 8.", "\\boxed{9}", "the answer is 9, but the last step gives 8"),
        ("X equals 5.", "\\boxed{6}", None),
        ("", "Problem 1: \\boxed{3}", None),
        ("X is 1 + 1 = 2.", None, None),
    ],
)
def test_what_is_wrong_is_said(rationale, answer, said):
    assert recount(AGENT, Output(answer, rationale, "stop")) == said


def test_right_replies_pass_and_corrupted_ones_do_not():
    for item in benchmark("masbench/depth/4", n=20):
        text = whole_reply(item.problems).text
        assert recount(AGENT, read_output(text, "stop")) is None
        assert recount(AGENT, read_output(corrupted(text, Random(1)), "stop")) is not None
