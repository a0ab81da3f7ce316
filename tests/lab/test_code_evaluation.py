"""Programs in an evaluation: run in the sandbox, off the event loop, with canaries before the first verdict."""

import sys

import pytest

from masrepro.bench.item import Item
from masrepro.lab.evaluate import evaluate
from masrepro.models.model import FREE, Completion, Usage
from masrepro.orchestration import Agent, Orchestration
from masrepro.tools.isolation import SandboxError

ITEMS = [Item(f"add-{k}", "Write add.", (f"assert add({k}, 2) == {k + 2}\n",), "code") for k in range(3)]


class Single:
    name = "single"

    def design(self, item):
        return Orchestration(agents=(Agent("a1", "programmer", ""),))


class Writes:
    """A model that writes the same program each time."""

    name, revision, context_tokens, price = "writes", "1", 1000, FREE

    def __init__(self, program):
        self.program = program

    async def complete(self, messages, sampling):
        return Completion(f"Answer:\n```python\n{self.program}\n```", "stop", Usage(1, 1, 1))


@pytest.mark.parametrize(
    ("program", "outcome"),
    [("def add(a, b):\n    return a + b", "correct"), ("def add(a, b):\n    return a - b", "wrong")],
)
async def test_programs_are_scored_by_running_their_tests(program, outcome):
    evaluation = await evaluate(Single(), ITEMS, models=Writes(program), benchmark="adding")
    assert [sample.outcome for sample in evaluation.samples] == [outcome] * 3


async def test_no_program_is_scored_when_a_canary_comes_out_wrong(monkeypatch):
    async def dead(limits=None):
        raise SandboxError("code that is always correct was scored wrong")

    monkeypatch.setattr(sys.modules["masrepro.lab.evaluate"], "check_canaries", dead)
    with pytest.raises(SandboxError, match="always correct"):
        await evaluate(Single(), ITEMS, models=Writes("def add(a, b):\n    return a + b"), benchmark="adding")
