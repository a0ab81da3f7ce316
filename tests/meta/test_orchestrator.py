"""A model as orchestrator: what it is told, and what becomes of what it writes."""

import pytest

from masrepro.bench import benchmark
from masrepro.meta.orchestrator import Written, orchestrator_messages, write_systems
from masrepro.models import Sampling
from masrepro.models.desk import load_desk_model
from masrepro.orchestration import OrchestrationError
from masrepro.orchestration.dom import DoM
from masrepro.train.desk_plans import PLAIN

TWO = (
    'create_agent(id="a1", role="solver", goal="", workflow="cot")\n'
    'create_agent(id="a2", role="solver", goal="", workflow="cot", backbone="m")\n'
    'create_flow(source="a1", target="a2")'
)


@pytest.fixture(scope="module")
def items():
    return benchmark("masbench/parallel/3", split="test", n=24)


def test_question_and_degree_stand_in_the_second_turn():
    system, user = orchestrator_messages("How many?", DoM.LOW, PLAIN)
    assert "create_flow" in system.content
    assert user.content.startswith("How many?")
    assert DoM.LOW.describe() in user.content


def test_written_systems_get_the_backbone_where_they_name_none(items):
    plan = Written("o", {items[0].id: TWO}, backbone="s").design(items[0])
    assert [agent.backbone for agent in plan.agents] == ["s", "m"]


def test_what_breaks_the_degree_is_no_system(items):
    with pytest.raises(OrchestrationError) as refused:
        Written("o", {items[0].id: TWO}, dom=DoM.LOW).design(items[0])
    assert refused.value.rule == "dom"


async def test_what_a_model_writes_is_kept_by_item_and_judged_by_the_parser(items):
    model = load_desk_model("desk-solver-s")
    written = await write_systems(model, items[:3], sampling=Sampling(max_tokens=24), catalogue=PLAIN)
    assert [completion.usage.calls for completion in written] == [1, 1, 1]
    kept = Written("solver", {item.id: c.text for item, c in zip(items, written, strict=False)}, catalogue=PLAIN)
    with pytest.raises(OrchestrationError):  # a solver solves; it knows nothing of systems
        kept.design(items[0])
