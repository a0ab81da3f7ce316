"""Templates: an orchestration without backbones, in any notation."""

from __future__ import annotations

import pytest

from masrepro.bench import benchmark
from masrepro.meta.generator import Generator
from masrepro.models import Completion, Sampling, ToolCall, Usage
from masrepro.models.desk import load_desk_model
from masrepro.orchestration import Agent, DoM, Flow, Orchestration, OrchestrationError
from masrepro.train.desk_plans import PLAIN

TEMPLATE = Orchestration(
    (Agent("a1", "solver", "Find it."), Agent("a2", "writer", "Write ${a1}.")), (Flow("a1", "a2"),)
)


def reply(text: str, **fields) -> Completion:
    return Completion(text, fields.pop("finish", "stop"), Usage(), **fields)


class Recording:
    """Keeps the sampling that it is asked with."""

    name, revision, context_tokens, price = "recording", "1", 10_000, None

    async def complete(self, messages, sampling):
        self.sampling = sampling
        return reply("")


@pytest.mark.parametrize("notation", ["calls", "xml", "tool_calls"])
def test_a_template_is_read_in_every_notation(notation):
    generator = Generator(Recording(), notation)
    assert generator.read(reply(TEMPLATE.to(notation))) == TEMPLATE
    assert ("notation xml" in generator.messages("Q?")[0].content) == (notation == "xml")
    assert generator.messages("Q?")[1].content.startswith("Q?\n\nDegree of MAS: ")


def test_native_tool_calls_are_a_template_too():
    calls = (ToolCall("1", "create_agent", '{"id": "a1", "role": "solver", "goal": "Find it."}'),)
    assert Generator(Recording(), "tool_calls").read(reply("", tool_calls=calls)).agents == TEMPLATE.agents[:1]


@pytest.mark.parametrize(
    ("completion", "rule"),
    [
        (reply('create_agent(id="a1", role="", goal="", backbone="m")'), "not-a-template"),
        (reply(TEMPLATE.to("calls"), finish="length"), "cut-off"),
        (reply("A team of two."), "syntax"),
        (reply(TEMPLATE.to("calls").replace('"cot"', '"guess"')), "unknown-workflow"),
    ],
)
def test_what_is_no_template_is_refused(completion, rule):
    with pytest.raises(OrchestrationError) as refused:
        Generator(Recording()).read(completion)
    assert refused.value.rule == rule


def test_the_degree_of_mas_is_kept():
    with pytest.raises(OrchestrationError, match="dom"):
        Generator(Recording(), dom=DoM.LOW).read(reply(TEMPLATE.to("calls")))


async def test_tools_are_offered_natively_only_in_that_notation():
    for notation, offered in (("calls", 0), ("tool_calls", 2)):
        model = Recording()
        await Generator(model, notation).ask("Q?", Sampling())
        assert len(model.sampling.tools) == offered


async def test_the_desk_orchestrator_writes_templates():
    generator = Generator(load_desk_model("desk-orchestrator"), dom=DoM.at_most(3), catalogue=PLAIN)
    (item,) = benchmark("masbench/depth/2", split="test", n=1)
    template = generator.read(await generator.ask(item.question, Sampling(max_tokens=256)))
    assert template.is_template
