"""The rectifier's training text: states as a run makes them, and changes that can be made."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.baselines import system
from masrepro.baselines.recount import recount
from masrepro.bench import benchmark
from masrepro.lab.fault_setting import FAULTS, under
from masrepro.meta.rectifier import rectifier_messages
from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.models.model import Completion, Pool, Price, Usage
from masrepro.orchestration import Orchestration
from masrepro.runtime import Edit, run_with_repairs
from masrepro.runtime.briefing import told
from masrepro.runtime.change import Again
from masrepro.runtime.edits import read_change
from masrepro.train.desk_batches import REPAIR_SHARE, STAFFING_SHARE, SYSTEM_SHARE, batches
from masrepro.train.desk_check import checked, problem_of_repair, valid_repairs
from masrepro.train.desk_plans import PLAIN
from masrepro.train.desk_recipe import RECIPES, Clock
from masrepro.train.desk_repairs import draw_paused, repair_row
from masrepro.train.desk_words import ELSEWHERE, writing_phrases

seeds = st.integers(0, 10**9)
TINY = Size(32, 2, 2, 64)


@pytest.fixture(scope="module")
def tokenizer():
    return new_tokenizer(writing_phrases())


@given(seeds)
def test_a_row_is_what_a_rectifier_is_told_and_may_write(seed):
    state, row = draw_paused(Random(seed)).state, repair_row(Random(seed))
    assert row.prompt == rectifier_messages(state)[1].content
    assert problem_of_repair(row.reply, state) is None


@given(seeds)
def test_text_is_in_the_vocabulary_and_comes_back_unchanged(tokenizer, seed):
    row = repair_row(Random(seed))
    for text in (row.prompt, row.reply):
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.unk_token_id not in ids
        assert tokenizer.decode(ids) == text


@given(seeds)
def test_a_state_is_one_that_a_run_can_come_to(seed):
    state = draw_paused(Random(seed)).state
    for id in state.outputs:
        assert all(flow.source in state.outputs for flow in state.plan.inputs(id))
    assert state.failures or state.overspent
    for failure in state.failures:
        assert failure.backbone == state.backbone(failure.agent)
        assert failure.is_final == (failure.agent not in state.outputs)
        assert all(flow.source in state.outputs for flow in state.plan.inputs(failure.agent))
    if state.down_models or state.down_tools:
        assert state.repairs
    assert (state.question == ELSEWHERE) == bool(state.tools)


def rows_and_states(n):
    return [(repair_row(Random(seed)), draw_paused(Random(seed)).state) for seed in range(n)]


def test_most_changes_are_edits_and_some_are_whole_systems():
    kinds, fields = Counter(), Counter()
    for row, state in rows_and_states(600):
        change = read_change(row.reply, catalogue=PLAIN)
        kinds["system" if isinstance(change, Orchestration) else "edits" if change else "nothing"] += 1
        if isinstance(change, list):
            fields.update(name for edit in change for name in ("goal", "backbone", "tools") if getattr(edit, name))
            assert all(edit != Edit(edit.id, backbone=state.backbone(edit.id)) for edit in change)
    assert 0.75 < kinds["edits"] / 600 < 0.95
    assert 0.04 < kinds["system"] / 600 < 0.14 and kinds["nothing"] > 10
    assert fields["backbone"] > fields["goal"] > 60 and fields["tools"] > 40


def test_models_are_chosen_whatever_they_cost_and_seldom_when_they_are_down():
    ranks, chosen_down, n_down = Counter(), 0, 0
    for row, state in rows_and_states(1200):
        change = read_change(row.reply, catalogue=PLAIN)
        for edit in change if isinstance(change, list) else ():
            if edit.backbone is None:
                continue
            others = [name for name in state.models if name != state.backbone(edit.id)]
            if len(others) == 3 and not state.down_models and None not in state.models.values():
                ranks[sorted(others, key=lambda name: state.models[name].completion_usd).index(edit.backbone)] += 1
            if state.down_models & set(others) and not state.down_models >= set(others):
                n_down += 1
                chosen_down += edit.backbone in state.down_models
    assert all(0.24 < ranks[rank] / ranks.total() < 0.43 for rank in range(3))
    assert chosen_down < 0.4 * n_down


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("change_agent(", "syntax"),
        ('change_agent(id="a99", backbone="desk-solver-s")', "unknown-agent"),
        ('change_agent(id="a1", backbone="desk-solver-xxl")', "unknown-backbone"),
        ('change_agent(id="a1", tools=["search"])', "no-such-tool"),
        ('change_agent(id="a1", goal="Find the number of each Nobody\'s Hat.")', "unknown name"),
        ("nothing to change", None),
    ],
)
def test_what_is_wrong_with_a_repair(text, rule):
    assert problem_of_repair(text, draw_paused(Random(1)).state) == rule


class Working:
    """Works out a sum, and answers with it."""

    revision, context_tokens = "1", 100_000

    def __init__(self, name, price):
        self.name, self.price = name, price

    async def complete(self, messages, sampling):
        text = "For it, it is 3 + 4 = 7.\nAnswer: \\boxed{7}"
        return Completion(text, "stop", Usage(1, 61, 23, self.price.of(61, 23)))


class Listening:
    """Keeps what it is told, and has the same tried again."""

    model = None

    def __init__(self):
        self.told = []

    async def repair(self, state, call):
        self.told.append(told(state))
        return Again()


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "none"])
async def test_what_a_run_under_a_fault_tells_is_in_words_that_were_learned(tokenizer, fault):
    item = benchmark("masbench/depth/4", split="test", n=1)[0]
    pool = Pool(
        {
            "desk-solver-m": Working("desk-solver-m", Price(Decimal("0.2"), Decimal("0.8"))),
            "desk-solver-xl": Working("desk-solver-xl", Price(Decimal("0.8"), Decimal("3.2"))),
        }
    )
    plan = system("oracle").design(item)
    usual = pool["desk-solver-m"].price.of(61, 23) * len(plan.agents)
    setting = under(fault, plan, item, pool, seed=1, usual_usd=usual)
    listening = Listening()
    await run_with_repairs(
        setting.plan,
        setting.question,
        models=setting.models,
        rectifier=listening,
        budget=setting.budget,
        repair_at=setting.repair_at,
        check=recount,
        sub_agents=setting.sub_agents,
        tools=setting.tools,
    )
    assert listening.told
    for text in listening.told:
        ids = tokenizer(text.partition("System:")[2], add_special_tokens=False)["input_ids"]
        assert tokenizer.unk_token_id not in ids
        letters = [tokenizer.decode([token]) for token in ids]
        # The a before an agent's number is all that is left of spelling.
        assert not [letter for letter in letters if len(letter) == 1 and letter.isalpha() and letter != "a"]


def no_one(prompts, seed):
    raise AssertionError("not yet")


def test_an_orchestrator_learns_all_three_jobs(tokenizer):
    recipe = replace(RECIPES["orchestrator"], pool_rows=200)
    replies = Counter()
    for batch in batches(tokenizer, Random(0), Clock(recipe, tokens=9_000_000), no_one):
        for ids, labels in batch:
            for row, counted in zip(ids, labels, strict=True):
                prompt = tokenizer.decode([token for token, own in zip(row, counted, strict=True) if own < 0])
                if "Degree of MAS: " in prompt:
                    replies["system"] += 1
                elif "Spent: " in prompt:
                    replies["repair"] += 1
                elif "Models: " in prompt:
                    replies["staffing"] += 1
    wanted = {"system": SYSTEM_SHARE, "staffing": STAFFING_SHARE, "repair": REPAIR_SHARE}
    assert sum(wanted.values()) == pytest.approx(1)
    for job, share in wanted.items():
        assert replies[job] / replies.total() == pytest.approx(share, abs=0.12)


def test_a_model_that_has_learned_nothing_repairs_nothing(tokenizer):
    paused = [draw_paused(Random(seed), largest=2) for seed in range(4)]
    assert valid_repairs(new_model(tokenizer, TINY, 0).eval(), tokenizer, paused) == "0/4"


def test_a_check_of_an_orchestrator_speaks_of_all_three_jobs(tokenizer):
    line = checked(new_model(tokenizer, TINY, 0), tokenizer, RECIPES["orchestrator"], 1)
    assert " agents: 0/1" in line and "staffings: 0/1" in line and "repairs: 0/1" in line
