"""One backbone for all agents of another system's designs."""

from masrepro.baselines import Oracle, Staffed
from masrepro.bench import benchmark


def test_every_agent_gets_the_backbone_and_nothing_else_changes():
    (item,) = benchmark("masbench/depth/4", split="test", n=1)
    staffed = Staffed(Oracle(), "desk-solver-m")
    plan, own = staffed.design(item), Oracle().design(item)
    assert staffed.name == "oracle/desk-solver-m"
    assert {agent.backbone for agent in plan.agents} == {"desk-solver-m"}
    assert plan.flows == own.flows
    assert [agent.goal for agent in plan.agents] == [agent.goal for agent in own.agents]
