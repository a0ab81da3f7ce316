"""One decision tree: its shape, what its ways cost, and that runs part in the very state in which they pause."""

from __future__ import annotations

import asyncio

import pytest
from meta_script import CHEAP, DEAR, ITEMS, ONE, TWO, Scripted, cycling, pool, solver

from masrepro.lab.growth import TreeSettings, Trio, grow
from masrepro.lab.staffed_run import Terms
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.meta.rectifier import ModelRectifier
from masrepro.models import FREE, ContextOverflow, Pool, Unavailable, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget
from masrepro.train.credit import values

WEAK, STRONG = CHEAP.of(10, 10), DEAR.of(10, 10)
SWAP, NOTHING = 'change_agent(id="a1", backbone="strong")', "nothing to change"


def trio(models, *, templates=(ONE,), assignments=("a1: weak", "a1: strong"), repairs=()):
    return Trio(
        Generator(cycling("generator", *templates)),
        Implementer(cycling("implementer", *assignments), models),
        ModelRectifier(cycling("rectifier", *repairs)) if repairs else None,
    )


async def tree_of(parts, models, settings=TreeSettings(), **options):
    grown = await grow(ITEMS[0], parts, settings, benchmark="sums", models=models, **options)
    return grown.tree


async def test_four_templates_with_two_assignments_each_make_eight_ways():
    models = pool()
    tree = await tree_of(trio(models), models)
    assert [node.id for node in tree.children(None)] == ["g0", "g1", "g2", "g3"]
    assert [len(tree.children(f"g{k}")) for k in range(4)] == [2, 2, 2, 2]
    assert len(tree.trajectories) == 8
    for way in tree.trajectories:
        right = tree.node(way.path[-1]).text == "a1: strong"
        assert (way.success, way.outcome) == ((True, "correct") if right else (False, "wrong"))
        assert way.cost_usd == (STRONG if right else WEAK)
        assert way.meta_usd == 2 * WEAK
    assert len({node.prompt for node in tree.nodes if node.role == "implementer"}) == 1


async def test_draws_differ_by_node_and_are_the_same_again():
    models = pool()
    first = await tree_of(trio(models), models)
    assert first == await tree_of(trio(models), models)
    assert {node.text for node in first.nodes if node.role == "implementer"} == {"a1: weak", "a1: strong"}
    other = await tree_of(trio(models), models, TreeSettings(seed=5))
    assert [node.text for node in first.nodes] != [node.text for node in other.nodes]


async def test_what_cannot_be_read_ends_its_way_and_a_direct_answer_needs_no_staff():
    models = pool()
    parts = trio(models, templates=("I would rather not.", 'answer(text="2")', ONE), assignments=("a1: nobody",))
    tree = await tree_of(parts, models, TreeSettings(n_templates=8, n_implementations=1))
    ended = {tree.node(way.path[-1]).text: way for way in tree.trajectories}
    assert tree.node(ended["I would rather not."].path[0]).flaw == "syntax"
    assert (ended["I would rather not."].outcome, ended["I would rather not."].cost_usd) == ("invalid", 0)
    assert (ended['answer(text="2")'].outcome, len(ended['answer(text="2")'].path)) == ("correct", 1)
    assert tree.node(ended["a1: nobody"].path[1]).flaw == "unknown-backbone"
    assert not ended["a1: nobody"].success


async def test_repairs_branch_where_a_run_pauses_and_nowhere_else():
    models = pool()
    parts = trio(models, repairs=(SWAP, NOTHING))
    options = {"fault": "back-end down", "terms": Terms(failing="weak")}
    tree = await tree_of(parts, models, TreeSettings(n_templates=1, n_implementations=4, n_repairs=4), **options)
    for staffed in tree.children("g0"):
        repairs = tree.children(staffed.id)
        assert len(repairs) == (4 if staffed.text == "a1: weak" else 0)
        for repair in repairs:
            (way,) = tree.through(repair.id)
            mended = repair.text == SWAP
            assert (way.outcome, way.cost_usd) == (("correct", STRONG) if mended else ("error", 0))
            assert way.meta_usd == 3 * WEAK
    assert {node.text for node in tree.nodes if node.role == "rectifier"} == {SWAP, NOTHING}


async def test_a_repair_that_cannot_be_read_is_a_decision_too():
    models = pool()
    parts = trio(models, assignments=("a1: weak",), repairs=("Hm.",))
    options = {"fault": "back-end down", "terms": Terms(failing="weak")}
    tree = await tree_of(parts, models, TreeSettings(1, 1, 2), **options)
    assert [(node.id, node.flaw) for node in tree.nodes[2:]] == [("g0.i0.r0", "syntax"), ("g0.i0.r1", "syntax")]
    assert {way.outcome for way in tree.trajectories} == {"error"}


async def test_a_run_that_pauses_again_gets_one_more_decision_below_the_first():
    models = pool()
    parts = trio(
        models,
        templates=(TWO,),
        assignments=("a1: weak\na2: weak",),
        repairs=('change_agent(id="a1", goal="Add once more.")', 'change_agent(id="a1", goal="Add.", role="adder")'),
    )
    options = {"fault": "back-end down", "terms": Terms(failing="weak", max_repairs=2)}
    tree = await tree_of(parts, models, TreeSettings(1, 1, 2, seed=3), **options)
    deep = [node for node in tree.nodes if node.id.endswith(".r0.r0") or node.id.endswith(".r1.r0")]
    assert deep and all(len(tree.path(node.id)) == 4 for node in deep)
    assert all(tree.node(node.parent).role == "rectifier" for node in deep)


async def test_what_ways_have_in_common_is_computed_once_and_charged_to_each():
    models = pool()
    parts = trio(models, templates=(TWO,), assignments=("a1: strong\na2: weak",), repairs=(NOTHING, SWAP))
    options = {"fault": "malformed reply", "terms": Terms(failing="weak")}
    grown = await grow(ITEMS[0], parts, TreeSettings(2, 2, 3), benchmark="sums", models=models, **options)
    paid = [way.cost_usd for way in grown.tree.trajectories]
    assert len(paid) == 12 and set(paid) == {STRONG + WEAK}
    assert (len(models["strong"].asked), len(models["weak"].asked)) == (1, 1)
    meta = (parts.generator.model, parts.implementer.model, parts.rectifier.model)
    n_asked = sum(len(model.asked) for model in (*models.values(), *meta))
    assert grown.computed.calls == n_asked


def uneven():
    """Three agents at once, of which one fails, and one waits for the slowest."""
    agents = [Agent(f"a{k}", "solver", f"Add {k}.") for k in range(1, 6)]
    flows = [Flow("a1", "a4"), Flow("a2", "a5"), Flow("a3", "a5"), Flow("a4", "a5")]
    return Orchestration(tuple(agents), tuple(flows)).to("calls")


class Slow:
    """A model whose first reply to anything takes several turns of the event loop, more with each request."""

    def __init__(self, model, turns):
        self.name, self.revision, self.price, self.context_tokens = model.name, "1", model.price, model.context_tokens
        self._model, self._turns = model, turns

    async def complete(self, messages, sampling):
        self._turns += 2
        for _ in range(self._turns):
            await asyncio.sleep(0)
        return await self._model.complete(messages, sampling)


@pytest.mark.parametrize("turns", [0, 7])
@pytest.mark.parametrize("failing", ["a2: weak\na3: strong", "a2: strong\na3: weak"])
async def test_the_state_at_a_repair_is_one_whatever_was_faster(turns, failing):
    strong, weak = solver("strong", DEAR, right=True), solver("weak", CHEAP, right=False)
    models = Pool({"weak": weak, "strong": Slow(strong, turns)})
    assigned = f"a1: strong\n{failing}\na4: strong\na5: strong"
    parts = trio(models, templates=(uneven(),), assignments=(assigned,), repairs=(SWAP, NOTHING))
    options = {"fault": "back-end down", "terms": Terms(failing="weak")}
    tree = await tree_of(parts, models, TreeSettings(2, 2, 3), **options)
    repairs = [node for node in tree.nodes if node.role == "rectifier"]
    assert len(repairs) == 12 and len({node.prompt for node in repairs}) == 1


async def test_theta_c_pauses_a_run_too():
    models = pool()
    parts = trio(models, templates=(TWO,), assignments=("a1: weak\na2: weak",), repairs=(SWAP,))
    tree = await tree_of(parts, models, TreeSettings(1, 1, 1), terms=Terms(repair_at=Budget(calls=0)))
    assert [node.role for node in tree.nodes] == ["generator", "implementer", "rectifier"]


async def test_no_room_for_an_answer_of_the_rectifier_ends_the_way_where_it_paused():
    models = pool()
    parts = trio(models, assignments=("a1: weak",), repairs=(SWAP,))
    full = Scripted("rectifier", lambda *_: ContextOverflow("too long"))
    for terms in (Terms(failing="weak", budget=Budget(calls=1)), Terms(failing="weak")):
        own = parts if terms.budget.calls else Trio(parts.generator, parts.implementer, ModelRectifier(full))
        tree = await tree_of(own, models, TreeSettings(1, 1, 2), fault="back-end down", terms=terms)
        assert [way.path for way in tree.trajectories] == [("g0", "g0.i0")]
        assert not tree.trajectories[0].success


@pytest.mark.parametrize("which", ["generator", "implementer", "rectifier"])
async def test_a_meta_agent_that_cannot_be_asked_ends_the_tree(which):
    models = pool()
    parts = trio(models, assignments=("a1: weak",), repairs=(SWAP,))
    getattr(parts, which).model.says = lambda *_: Unavailable("HTTP 503")
    with pytest.raises(Unavailable, match="503"):
        await tree_of(parts, models, fault="back-end down", terms=Terms(failing="weak"))


async def test_prices_may_be_notional_and_are_in_what_the_implementer_is_told():
    models = Pool({"strong": solver("strong", FREE, right=True)})
    parts = trio(models, assignments=("a1: strong",))
    told = {name: DEAR for name in ("strong", "generator", "implementer")}
    grown = await grow(ITEMS[0], parts, TreeSettings(1, 1), benchmark="sums", models=models, prices=told)
    (way,) = grown.tree.trajectories
    assert (way.cost_usd, way.meta_usd) == (STRONG, 2 * STRONG)
    assert "strong (10 / 10)" in grown.tree.node("g0.i0").prompt[-1].content
    assert grown.computed == Usage(3, 30, 30, 2 * WEAK)
    assert values(grown.tree)["g0"] == 1
