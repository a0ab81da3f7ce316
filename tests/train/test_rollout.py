"""What becomes of written systems: all at once, each with its outcome, equal questions asked once."""

import asyncio
from dataclasses import replace

import pytest

from masrepro.baselines import system
from masrepro.bench import benchmark
from masrepro.models import Completion, Pool, Sampling, Unavailable, Usage
from masrepro.models.desk import load_desk_model
from masrepro.orchestration.dom import DoM
from masrepro.runtime.budget import Budget
from masrepro.train import rollout as rollouts
from masrepro.train.desk_plans import PLAIN
from masrepro.train.mix import Assignment
from masrepro.train.reward import FinalAnswer, SubAgentsDown, SystemReward
from masrepro.train.rollout import CUT_OFF, Attempt, Team, roll_out

ONE = 'create_agent(id="a1", role="solver", goal="", workflow="cot")'
TWO = f'{ONE}\ncreate_agent(id="a2", role="solver", goal="", workflow="cot")\ncreate_flow(source="a1", target="a2")'


class Timed:
    """A model that answers after a while and knows how many asked at once; given errors come first."""

    name, revision, context_tokens, price = "timed", "1", 4096, None

    def __init__(self, text="Answer: \\boxed{1}", errors=()):
        self.text = text
        self.errors = list(errors)
        self.n_asked = self.n_here = self.most_here = 0

    async def complete(self, messages, sampling):
        self.n_asked += 1
        self.n_here += 1
        self.most_here = max(self.most_here, self.n_here)
        try:
            await asyncio.sleep(0.02)
            if self.errors:
                raise self.errors.pop(0)
            return Completion(self.text, "stop", Usage(1, 10, 5))
        finally:
            self.n_here -= 1


def team_of(model, **changes):
    return replace(Team(Pool.of(model), PLAIN, Sampling(max_tokens=16)), **changes)


def attempt(text, place=0, item=None, dom=DoM.HIGH, cut_off=False):
    item = item or benchmark("masbench/parallel/2", split="train", n=1, start=place)[0]
    return Attempt(place, Assignment("masbench/parallel/2", item, dom), text, 10, cut_off)


async def test_every_attempt_has_its_outcome_and_its_reason():
    attempts = [
        attempt(ONE),
        attempt(ONE, cut_off=True),
        attempt("I would ask an expert."),
        attempt(TWO, dom=DoM.LOW),
        attempt(ONE.replace("cot", "debate")),
        attempt(""),
    ]
    wave = await roll_out(attempts, team_of(Timed()))
    assert [(one.outcome, one.reason) for one in wave.rollouts] == [
        ("unparsed", None),  # one box where two are asked for
        ("truncated", CUT_OFF),
        ("invalid", "syntax"),
        ("invalid", "dom"),
        ("invalid", "unknown-workflow"),
        ("invalid", "nothing-built"),
    ]
    assert [one.plan is None for one in wave.rollouts] == [False, True, True, True, True, True]


async def test_what_is_rejected_cut_off_or_failed_never_reaches_a_scorer(monkeypatch):
    def never(*_):
        raise AssertionError("scored")

    monkeypatch.setattr(rollouts, "score", never)
    failing = Timed(errors=[Unavailable("gone")])
    wave = await roll_out([attempt("x"), attempt(ONE, cut_off=True), attempt(TWO)], team_of(failing))
    assert [one.outcome for one in wave.rollouts] == ["invalid", "truncated", "error"]
    bound = await roll_out([attempt(TWO)], team_of(Timed(), budget=Budget(calls=1)))
    assert bound.rollouts[0].outcome == "limit"
    assert {FinalAnswer()(one) for one in (*wave.rollouts, *bound.rollouts)} == {0.0}


async def test_all_systems_of_a_batch_run_in_one_wave():
    model = Timed()
    wave = await roll_out([attempt(ONE, place) for place in range(24)], team_of(model))
    assert model.most_here == 24
    assert 0 < wave.waiting_s <= wave.seconds


async def test_equal_greedy_calls_are_asked_once_and_paid_once():
    model = Timed()
    wave = await roll_out([attempt(TWO)] * 5, team_of(model))
    assert model.n_asked == 2
    assert [one.n_calls for one in wave.rollouts] == [2] * 5
    assert sum(one.usage.calls for one in wave.rollouts) == 2
    model.n_asked = 0
    await roll_out([attempt(TWO)] * 5, team_of(model, sampling=Sampling(temperature=0.5, max_tokens=16)))
    assert model.n_asked == 10


async def test_an_error_of_a_shared_call_fails_all_that_share_it_and_is_counted_once():
    model = Timed(errors=[Unavailable("gone", usage=Usage(3))])
    wave = await roll_out([attempt(ONE)] * 3, team_of(model))
    assert [one.outcome for one in wave.rollouts] == ["error"] * 3
    assert sum(one.usage.calls for one in wave.rollouts) == 3
    assert model.n_asked == 1


async def test_a_run_that_is_called_off_takes_no_shared_call_with_it():
    """The sibling of a failing agent shares its call with another system, which still gets the reply."""
    pair = (
        'create_agent(id="a1", role="solver", goal="", workflow="cot")\n'
        'create_agent(id="b1", role="solver", goal="", workflow="cot", backbone="down")\n'
        'create_agent(id="s", role="solver", goal="", workflow="cot")\n'
        'create_flow(source="a1", target="s")\ncreate_flow(source="b1", target="s")'
    )

    class Down(Timed):
        name = "down"

        async def complete(self, messages, sampling):
            raise Unavailable("gone")

    up = Timed()
    pool = Pool({"timed": up, "down": Down()}, "timed")
    wave = await roll_out([attempt(pair), attempt(ONE)], team_of(up, models=pool))
    assert [one.outcome for one in wave.rollouts] == ["error", "unparsed"]
    assert up.n_asked == 1


async def test_the_oracles_systems_earn_what_a_desk_solver_can():
    items = benchmark("masbench/depth/2", split="train", n=3)
    attempts = [attempt(system("oracle").design(item).to("calls"), place, item) for place, item in enumerate(items)]
    wave = await roll_out(attempts, team_of(load_desk_model("desk-solver-m"), sampling=Sampling(max_tokens=96)))
    assert sum(map(FinalAnswer(), wave.rollouts)) >= 1
    assert {one.outcome for one in wave.rollouts} <= {"correct", "wrong"}


@pytest.mark.parametrize(
    ("reward", "worth"),
    [
        (FinalAnswer(), [0.0, 0.0, 1.0]),
        (FinalAnswer(part_credit=True), [0.0, 0.5, 1.0]),
        (FinalAnswer(format_share=0.1), [0.0, 0.1, 1.0]),
    ],
)
async def test_a_reward_is_all_or_nothing_unless_told_otherwise(reward, worth):
    item = benchmark("masbench/parallel/2", split="train", n=1)[0]
    first, second = item.answer
    half, full = (f"Answer: \\boxed{{{first}}} \\boxed{{{other}}}" for other in (int(second) + 30, second))
    rollouts_of = [
        (await roll_out([attempt(text)], team_of(Timed(reply)))).rollouts[0]
        for text, reply in (("x", full), (ONE, half), (ONE, full))
    ]
    assert [reward(one) for one in rollouts_of] == pytest.approx(worth)


async def test_a_back_end_that_is_down_ends_the_training_instead_of_teaching_noise():
    given = [attempt(ONE).assignment]
    down = Timed(errors=[Unavailable("connection refused")] * 9)
    reward = SystemReward(given, team_of(down), FinalAnswer(), frozenset({4}), lambda judged: None)
    with pytest.raises(SubAgentsDown, match=r"2 of 2 systems failed, such as: .*connection refused"):
        await reward(completions=[[{"content": ONE}]] * 2, completion_ids=[[7, 4]] * 2, place=[0, 0])


async def test_the_reward_function_hands_on_what_it_judged():
    seen = []
    given = [attempt(ONE).assignment]
    reward = SystemReward(given, team_of(Timed()), lambda one: float(one.n_calls), frozenset({4}), seen.append)
    worth = await reward(
        completions=[[{"content": TWO}], [{"content": ONE}]], completion_ids=[[7, 4], [7]], place=[0, 0]
    )
    assert worth == [2.0, 0.0]
    assert [one.outcome for one in seen[0].wave.rollouts] == ["unparsed", "truncated"]
    assert seen[0].rewards == (2.0, 0.0)
