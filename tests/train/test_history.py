"""The record of a step: what is counted, and a file that survives a kill."""

from masrepro.bench import Item
from masrepro.orchestration import parse
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.train.history import History, read_history, step_of
from masrepro.train.mix import Assignment
from masrepro.train.rollout import Attempt, Rollout

ITEM = Item("i", "?", "1", "exact_int")
STAR = Orchestration(
    (Agent("a1", "solver", "Solve Problem 1."), Agent("a2", "solver", ""), Agent("s", "gatherer", "Gather.")),
    (Flow("a1", "s"), Flow("a2", "s")),
)
ALONE = Orchestration((Agent("a1", "solver", ""),))


def rollout(place, plan, outcome="wrong", reason=None, cell="c"):
    return Rollout(Attempt(place, Assignment(cell, ITEM, DoM.HIGH), "", 10, False), outcome, plan, reason)


JUDGED = [
    (rollout(0, STAR, "correct"), 1.0),
    (rollout(0, None, "invalid", "cycle"), 0.0),
    (rollout(1, ALONE, cell="d"), 0.0),
    (rollout(1, parse('answer(text="2")'), cell="d"), 0.0),
]


def test_a_step_counts_groups_reasons_and_shapes():
    step = step_of(3, JUDGED, {"loss": 0.5}, {"update": 0.25})
    assert (step.step, step.reward, step.zero_variance, step.valid) == (3, 0.25, 0.5, 0.75)
    assert step.rejected == {"cycle": 1}
    assert step.outcomes == {"correct": 1, "invalid": 1, "wrong": 2}
    assert step.by_task == {"c HIGH": 0.5, "d HIGH": 0.0}
    assert step.agents == {"0": 1, "1": 1, "3": 1}
    assert step.mean_agents == 4 / 3
    assert (step.longest_chain, step.width) == (1.0, 1.0)
    assert (step.direct, step.whole, step.sink_asks, step.sink_gathers) == (1 / 3, 2 / 3, 1 / 3, 1 / 3)


def test_a_step_without_a_valid_system_has_no_shape():
    step = step_of(1, JUDGED[1:2], {}, {})
    assert (step.valid, step.mean_agents, step.longest_chain, step.whole) == (0.0, None, None, None)


def test_a_file_gives_back_its_steps_without_a_torn_last_line(tmp_path):
    history = History(tmp_path / "history.jsonl")
    steps = [step_of(number, JUDGED, {"loss": 0.5}, {}) for number in (1, 2, 3)]
    for step in steps:
        history.append(step)
    with history.path.open("a") as file:
        file.write('{"step": 4, "rew')
    assert read_history(history.path) == steps
    history.keep(2)
    history.append(steps[2])
    assert read_history(history.path) == steps
    assert read_history(tmp_path / "none.jsonl") == []
