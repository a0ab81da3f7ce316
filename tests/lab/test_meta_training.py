"""From params to trained meta-agents: what may be set, trees of scripted models, adapters, and what is measured."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from fixture_home import REPOSITORY
from meta_script import CHEAP, DEAR, ONE, Scripted

from masrepro.bench import benchmark
from masrepro.lab.home import Home
from masrepro.lab.mas2_stage import Stage
from masrepro.lab.meta_training import (
    finished,
    graduates,
    grow_forest,
    pairs_of,
    read_trained,
    terms_of,
    train_trio,
    tree_settings,
)
from masrepro.lab.meta_training_params import TrainMetaParams
from masrepro.lab.problem import BadInput
from masrepro.lab.remembered import Remembered
from masrepro.lab.resolve import resolve
from masrepro.models import Message, Pool
from masrepro.models.desk import load_desk_model
from masrepro.train.preference import Preference

HOME = Home(REPOSITORY, REPOSITORY / "outputs")
NAME, CELL = "11_train_meta_agents", "masbench/depth/2"


def params_of(profile: str, *options: tuple[str, str]) -> TrainMetaParams:
    return resolve(NAME, home=HOME, profile=profile, options=options)


@pytest.mark.parametrize("profile", ["smoke", "desk"])
def test_desk_params_run_here_for_nothing(profile: str) -> None:
    bound = params_of(profile).bound()
    assert bound.cost_usd == 0
    assert bound.calls > bound.samples > 0


def test_the_papers_values_are_in_the_gpu_profile_and_its_cost_is_bounded() -> None:
    params = params_of("gpu")
    settings = params.training
    assert (params.n_templates, params.n_implementations, len(params.solvers)) == (4, 2, 5)
    assert (settings.base, settings.lora_rank, settings.lora_alpha) == ("Qwen/Qwen3-8B", 8, 16)
    assert (settings.epochs, settings.learning_rate, settings.accumulation) == (2, 5e-5, 4)
    n_runs = 4 * 50 * 8 * 2 + 4 * 50 * 2 * 2
    assert params.bound().cost_usd == n_runs * params.run_tokens * Decimal(10) / 1_000_000
    assert params_of("gpu", ("run_tokens", "null")).bound().cost_usd is None


def test_served_adapters_are_measured_without_trees() -> None:
    params = params_of("api")
    bound = params.bound()
    assert params.trained and bound.samples == 5 * 100 * 2
    meta = 2 * 5 * 100 * 5 * params.price_of("Qwen/Qwen3-8B").of(32768, 4096)
    assert bound.cost_usd == 1000 * 200_000 * Decimal(10) / 1_000_000 + meta


def test_the_bound_counts_every_decision_and_every_way() -> None:
    params = params_of("smoke", ("n_trees", "10"), ("n_templates", "3"), ("max_repairs", "2"))
    held_out, ways = 2 * 2, 10 * 3 * 2 * 2
    drawn = 10 * (3 + 6 + 6 * 2 * 2)
    assert params.bound().samples == ways + held_out
    assert params.bound().calls == drawn + ways * 12 + held_out * (12 + 2 + 2)


@pytest.mark.parametrize(
    ("profile", "options", "said"),
    [
        ("desk", [("training.base", "desk-solver-s")], "an adapter learns from what its own base wrote"),
        ("smoke", [("adapters.generator", "desk-generator")], "has none for the implementer, rectifier"),
        ("smoke", [("adapters.generator", "x")], "or one that comes with masrepro: desk-generator"),
        ("smoke", [("adapters.generator", "desk-rectifier")], "is desk-rectifier, which was trained as the rectifier"),
        ("desk", [("repeats", "[{implementer: desk-generator-2}]")], "which was trained as the generator"),
        ("smoke", [("repeats", "[{generator: desk-generator}]")], "repeats belong to adapters that are given"),
        ("desk", [("trees", "outputs/trees")], "leave trees empty, or adapters and repeats"),
        ("smoke", [("trees", "nowhere")], "nowhere holds none: name trees/ of a run of 11_train_meta_agents"),
        ("api", [("adapters", "{}")], "name all three adapters"),
        ("desk", [("tree_executor", "ray"), ("max_cost_usd", "1")], "leave one of them out"),
        ("desk", [("seeds", "[1, 1]")], "holds 1 more than once"),
        ("desk", [("prices", "{}")], "give desk-solver-s, desk-solver-m, desk-solver-l, desk-orchestrator a price"),
    ],
)
def test_params_that_cannot_be_are_refused(profile: str, options: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        params_of(profile, *options)


def scripted_stage(params: TrainMetaParams) -> Stage:
    """A stage whose models are scripts: solvers that are right or wrong, and one writer for all three roles."""
    answers = {item.question: str(item.answer) for item in benchmark(CELL, split="train", n=4)}

    def solves(messages, right):
        question = next(q for q in answers if any(q in message.content for message in messages))
        return f"Answer: \\boxed{{{(int(answers[question]) + (not right)) % 23}}}"

    def writes(messages, sampling):
        if "change_agent" in messages[0].content:
            return 'change_agent(id="a1", backbone="strong")'
        if "Assign a model" in messages[0].content:
            return ("a1: weak", "a1: strong")[sampling.seed % 2]
        return ONE

    weak = Scripted("weak", lambda messages, _: solves(messages, False), CHEAP)
    strong = Scripted("strong", lambda messages, _: solves(messages, True), DEAR)
    pool = Pool({"weak": Remembered(weak), "strong": Remembered(strong)})
    writer = Remembered(Scripted("writer", writes))
    return Stage(SimpleNamespace(), params, pool, {}, {params.meta: writer})


def scripted_params(*options: tuple[str, str]) -> TrainMetaParams:
    prices = "{weak: [1, 1], strong: [10, 10], desk-orchestrator: [1, 1]}"
    return params_of(
        "smoke",
        ("solvers", "[weak, strong]"),
        ("prices", prices),
        ("cells", f"[{CELL}]"),
        ("n_trees", "4"),
        ("check", '""'),
        ("failing", "weak"),
        *options,
    )


async def test_trees_of_the_train_split_give_pairs_by_role(tmp_path: Path) -> None:
    params = scripted_params()
    stage = scripted_stage(params)
    trees = await grow_forest(stage, tmp_path)
    assert [tree.fault for tree in trees] == ["none", "back-end down"] * 2
    assert {tree.item_id for tree in trees} == {item.id for item in benchmark(CELL, split="train", n=4)}
    assert {len(tree.children(None)) for tree in trees} == {2}
    pairs = pairs_of(trees, params)
    assert {(pair.win, pair.lose) for pair in pairs if pair.role == "implementer"} <= {
        ("a1: strong", "a1: weak"),
        ("a1: weak", "a1: strong"),  # under a fault it costs a failed call, and is repaired
    }
    assert pairs and await grow_forest(stage, tmp_path) == trees


def test_terms_and_settings_are_those_of_the_params() -> None:
    params = scripted_params(("run_tokens", "500"), ("theta_c", "90"))
    terms = terms_of(scripted_stage(params))
    assert (terms.budget.calls, terms.budget.tokens, terms.repair_at.tokens) == (params.system_calls, 500, 90)
    assert (tree_settings(params).n_templates, tree_settings(params).max_tokens) == (2, params.plan_tokens)


def pair(role: str, win: str, lose: str) -> Preference:
    return Preference(role, "item", (Message("system", "rules"), Message("user", "Which?")), win, lose, 1.0)


def test_roles_with_pairs_get_an_adapter_and_others_a_reason(tmp_path: Path) -> None:
    params = params_of("smoke", ("seeds", "[1, 2]"))
    said: list[str] = []
    trained = train_trio(
        [pair("implementer", "a1: desk-solver-m", "a1: desk-solver-s")], params, tmp_path, report=said.append
    )
    assert list(trained) == ["implementer"]
    assert [one.folder.parent.name for one in trained["implementer"]] == ["implementer-1", "implementer-2"]
    assert [line.partition(":")[0] for line in said if "not trained" in line] == ["generator", "rectifier"]
    first = trained["implementer"][0]
    assert read_trained("implementer", first.folder) == first

    desk = Remembered(load_desk_model("desk-orchestrator"), CHEAP)
    stage = Stage(SimpleNamespace(), params, Pool.of(desk), {}, {params.meta: desk})
    graduated = graduates(stage, trained)
    assert graduated.trained == ("implementer",)
    assert graduated.trio.implementer.model.name == "trained implementer"
    assert graduated.trio.implementer.model.price == CHEAP
    assert graduated.trio.generator.model is desk
    assert [variant.name for variant in graduated.compared] == ["MAS², untrained", "MAS²", "MAS², training 2"]
    again = graduated.repeats["MAS², training 2"]
    assert again.implementer.model.name == "trained implementer, 2" and again.generator.model is desk


def test_repeats_are_read_and_measured_beside_the_adapters() -> None:
    roles = ("generator", "implementer", "rectifier")
    given = tuple((f"adapters.{role}", f"desk-{role}") for role in roles)
    params = params_of("smoke", *given, ("repeats", "[{generator: desk-generator-2}]"))
    trainings = finished(params)
    assert [len(trainings[role]) for role in roles] == [2, 1, 1]
    alone = params_of("smoke", *given)
    assert params.bound().samples == alone.bound().samples * 3 // 2


async def test_trees_of_another_run_are_learned_from_and_fewer_of_their_branches(tmp_path: Path) -> None:
    params = scripted_params()
    grown = await grow_forest(scripted_stage(params), tmp_path / "trees")
    again = scripted_params(("trees", str(tmp_path / "trees")), ("training.n_templates", "1"))
    stage = scripted_stage(again)
    assert again.bound().samples < params.bound().samples
    trees = await grow_forest(stage, tmp_path / "own")
    assert sorted(tree.item_id for tree in trees) == sorted(tree.item_id for tree in grown)
    assert not (tmp_path / "own").exists()
    assert len(pairs_of(trees, again)) < len(pairs_of(trees, params))


def test_finished_adapters_bring_their_history_where_they_have_one(tmp_path: Path) -> None:
    (tmp_path / "adapter.safetensors").touch()
    roles = ("generator", "implementer", "rectifier")
    params = params_of("smoke", *((f"adapters.{role}", str(tmp_path)) for role in roles))
    assert params.trained and finished(params) == {}
    assert finished(params_of("api")) == {}
