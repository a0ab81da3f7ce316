from __future__ import annotations

import pytest

from masrepro.agents import CoT, NoImplementation, Output, register, registered_catalogue, registry, sub_agent
from masrepro.orchestration import STANDARD, Agent, Workflow


class Echo:
    """A newcomer: repeats its goal."""

    workflow = Workflow("echo", "Echo", "Repeats its goal.", "EchoAgent")

    def n_calls(self, agent: Agent) -> int:
        return 0

    async def act(self, task, call) -> Output:
        return Output(task.agent.goal, "", "stop")


@pytest.fixture
def echo(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    return register(Echo())


@pytest.fixture
def cot_alone(monkeypatch):
    """A registry that holds CoT and nothing else."""
    monkeypatch.setattr(registry, "_REGISTERED", {"cot": CoT()})


@pytest.mark.parametrize("workflow", STANDARD.workflows, ids=lambda workflow: workflow.name)
def test_every_standard_workflow_is_registered(workflow):
    assert sub_agent(workflow.name).workflow == workflow


def test_the_papers_bounds_on_calls():
    agent = Agent("a", "", "", roles=("for", "against"))
    calls = {workflow.name: sub_agent(workflow.name).n_calls(agent) for workflow in STANDARD.workflows}
    assert calls == {"cot": 1, "cot_sc": 5, "debate": 11, "reflexion": 11, "deep_research": 11}


def test_a_newcomer_is_one_class_and_one_registration(echo):
    assert sub_agent("echo") is echo
    assert registered_catalogue().workflow("echo") == Echo.workflow
    assert STANDARD.workflow("echo") is None


def test_registering_again_takes_the_place(echo):
    again = register(Echo())
    assert sub_agent("echo") is again
    assert registered_catalogue().workflows == (*STANDARD.workflows, Echo.workflow)


@pytest.mark.parametrize("name", [w.name for w in STANDARD.workflows if w.name != "cot"])
def test_a_standard_workflow_without_implementation_says_so(name, cot_alone):
    with pytest.raises(NoImplementation, match=f"'{name}' is known but has no implementation registered"):
        sub_agent(name)


def test_an_unknown_workflow_is_refused_with_what_was_perhaps_meant(cot_alone):
    with pytest.raises(NoImplementation, match=r"unknown workflow 'cott', did you mean 'cot'\? \(registered: cot\)"):
        sub_agent("cott")
    with pytest.raises(NoImplementation, match=r"unknown workflow 'zzz' \(registered: cot\)"):
        sub_agent("zzz")


def test_a_runs_own_sub_agents_go_first():
    mine = Echo()
    assert sub_agent("cot", {"cot": mine}) is mine
    assert isinstance(sub_agent("cot", {"echo": mine}), CoT)
