"""The sequential orchestrator in an evaluation: one agent a turn, each answer heard, everything on one record."""

import pytest

from masrepro.agents.cot import unboxed
from masrepro.baselines import Sequential
from masrepro.bench import Item, benchmark
from masrepro.lab.cost import CostReached
from masrepro.lab.evaluate import evaluate
from masrepro.lab.sample import Sample
from masrepro.models import Completion, ContextOverflow, Pool, Sampling, Unavailable, Usage
from masrepro.models.desk import load_desk_model
from masrepro.orchestration import parse
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.turns import turns_of
from masrepro.runtime.budget import Budget
from masrepro.runtime.growing import BUILDER, Conditions, GrowingRun
from masrepro.runtime.run import run
from masrepro.train.desk_plans import PLAIN

FACTS = "The number of each Mill's Lamp equals 2 more than each Farm's Drum. The number of each Farm's Drum equals 5."
QUESTION = f"{FACTS} What is the number of each Mill's Lamp?"
PLAN = parse(
    'create_agent(id="a1", role="solver", goal="Find the number of each Farm\'s Drum.", workflow="cot")\n'
    'create_agent(id="a2", role="solver", goal="Find the number of each Mill\'s Lamp.", workflow="cot")\n'
    'create_flow(source="a1", target="a2", payload="the number of each Farm\'s Drum")'
)
ITEM = Item("i1", QUESTION, "7", "exact_int")
END = 'answer(text="${a2}")'


class Script:
    """A builder whose turns are known; it keeps what it was sent. An error in place of a turn is raised."""

    name, revision, context_tokens, price = "script", "1", 4096, None

    def __init__(self, *turns, finish="stop"):
        self.turns = list(turns)
        self.finish = finish
        self.sent = []

    async def complete(self, messages, sampling):
        self.sent.append((tuple(messages), sampling))
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return Completion(turn, self.finish, Usage(1, 100, 10))


@pytest.fixture(scope="module")
def solver():
    return load_desk_model("desk-solver-s")


async def sample(solver, builder, *, tokens=100, turns=12, dom=DoM.HIGH, **options):
    system = Sequential("sequential", builder, Sampling(max_tokens=tokens), dom, PLAIN, turns)
    done = await evaluate(
        system, [ITEM], models=solver, benchmark="toy", sampling=Sampling(max_tokens=64), rationale_chars=0, **options
    )
    (one,) = done.samples
    assert Sample.from_json(one.to_json()) == one
    return one


async def test_what_is_built_runs_as_the_same_system_would_at_once(solver):
    builder = Script(*turns_of(PLAN))
    one = await sample(solver, builder)
    whole = await run(PLAN, QUESTION, models=solver, sampling=Sampling(max_tokens=64), rationale_chars=0)
    assert (one.answer, one.n_agents, one.longest_chain) == (whole.answer, 2, 2)
    assert parse(one.orchestration) == PLAN and one.orchestration_hash == PLAN.content_hash
    ours = [span for span in one.trace if span.agent != BUILDER]
    assert [(s.agent, s.kind, s.messages, s.text, s.inputs) for s in ours] == [
        (s.agent, s.kind, s.messages, s.text, s.inputs) for s in whole.trace
    ]


async def test_each_answer_is_heard_before_the_next_turn_in_the_words_of_a_flow(solver):
    builder = Script(*turns_of(PLAN))
    one = await sample(solver, builder)
    roles = [[message.role for message in messages] for messages, _ in builder.sent]
    assert roles == [["system", "user", *["assistant", "user"] * n] for n in range(3)]
    (_, asked), *_ = (messages for messages, _ in builder.sent)
    assert asked.content.startswith(QUESTION)
    heard = [message.content for message in builder.sent[-1][0] if message.role == "user"][1:]
    answers = {span.agent: unboxed(span.text) for span in one.trace if span.kind == "agent"}
    assert heard == [f"From {agent}: {answer}" for agent, answer in answers.items()]


async def test_the_builders_calls_are_on_record_and_outside_the_budget(solver):
    one = await sample(solver, Script(*turns_of(PLAN)), budget=Budget(calls=2))
    assert one.outcome in ("correct", "wrong")
    assert one.trace.usage_of(BUILDER) == Usage(3, 300, 30)
    assert one.usage.calls == 5 and one.usage == one.trace.usage


async def test_a_budget_stops_the_agents(solver):
    one = await sample(solver, Script(*turns_of(PLAN)), budget=Budget(calls=1))
    assert one.outcome == "limit" and "agent a2" in one.error
    assert one.n_agents == 2


@pytest.mark.parametrize(
    ("turns", "options", "rule"),
    [
        (["I do not know."], {}, "syntax"),
        ([turns_of(PLAN)[0], END], {}, "not-the-sink"),
        ([*turns_of(PLAN)], {"turns": 2}, "unfinished"),
        ([*turns_of(PLAN)], {"tokens": 20}, "cut-off"),
        ([*turns_of(PLAN)], {"dom": DoM.LOW}, "dom"),
        ([turns_of(PLAN)[0].replace("cot", "debate")], {}, "unknown-workflow"),
    ],
)
async def test_a_conversation_that_breaks_a_rule_is_invalid_and_what_it_spent_is_kept(solver, turns, options, rule):
    builder = Script(*turns)
    one = await sample(solver, builder, **options)
    assert one.outcome == "invalid" and f"[{rule}]" in one.error
    assert one.orchestration is None and one.answer is None
    assert one.usage.calls == len(builder.sent) + sum(s.kind == "agent" for s in one.trace)


async def test_the_tokens_of_all_turns_have_one_bound(solver):
    builder = Script(*turns_of(PLAN))
    await sample(solver, builder, tokens=35)
    assert [sampling.max_tokens for _, sampling in builder.sent] == [35, 25, 15]
    cut = await sample(solver, Script(turns_of(PLAN)[0], finish="length"))
    assert cut.outcome == "invalid" and "[cut-off]" in cut.error


async def test_a_builder_that_cannot_be_asked_is_an_error_with_its_spend(solver):
    one = await sample(solver, Script(turns_of(PLAN)[0], Unavailable("gone", usage=Usage(3))))
    assert one.outcome == "error" and "orchestrator on model script: Unavailable: gone" in one.error
    assert one.usage.calls == 1 + 1 + 3


async def test_a_run_that_the_cost_limit_stops_says_nothing_about_the_system(solver):
    one = await sample(solver, Script(turns_of(PLAN)[0], CostReached("the cost limit of 1 USD leaves no room")))
    assert (one.outcome, one.stopped, one.usage.calls) == ("limit", True, 2)


async def test_a_conversation_that_fills_its_models_context_is_cut_off(solver):
    one = await sample(solver, Script(turns_of(PLAN)[0], ContextOverflow("too long")))
    assert one.outcome == "invalid" and "[cut-off]" in one.error


async def test_a_direct_answer_calls_nobody(solver):
    one = await sample(solver, Script('answer(text="7")'), dom=DoM.LOW)
    assert (one.outcome, one.n_agents, one.usage.calls) == ("correct", 0, 1)


async def test_repeats_and_draws_have_seeds_of_their_own(solver):
    async def seeds(seed, repeats):
        builder = Script(*turns_of(PLAN) * repeats)
        system = Sequential("s", builder, Sampling(1.0, 100, seed=seed), catalogue=PLAIN)
        await evaluate(system, [ITEM], models=solver, benchmark="toy", repeats=repeats, concurrency=1)
        return {sampling.seed for _, sampling in builder.sent}

    first, other = await seeds(1, 2), await seeds(2, 1)
    assert len(first) == 2 and len(other) == 1 and not first & other


async def test_an_agent_without_an_answer_is_heard_as_one(solver):
    own = Conditions(Pool.of(solver), sampling=Sampling(max_tokens=1), rationale_chars=0)
    grown = GrowingRun(QUESTION, own, catalogue=PLAIN)
    assert await grown.take(turns_of(PLAN)[0]) == "From a1: no answer"
    assert await grown.take('answer(text="${a1}")') == ""
    assert grown.unfolded.result.status == "truncated" and grown.unfolded.plan.sink == "a1"


async def test_an_untrained_model_comes_through_the_same_door(solver):
    """A solver knows nothing of turns: every conversation is invalid, none an error."""
    items = benchmark("masbench/depth/2", split="test", n=3)
    system = Sequential("sequential", solver, Sampling(max_tokens=32), catalogue=PLAIN)
    done = await evaluate(system, items, models=solver, benchmark="masbench/depth/2")
    assert done.outcomes["invalid"] == 3 and done.usage.calls == 3
