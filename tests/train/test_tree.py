"""A decision tree is what it says: its shape is checked, and it comes back from its JSON as it was."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from trees import end, node, templates, tree, trees

from masrepro.models.model import Message, ToolCall, Usage
from masrepro.train.tree import Tree

GROWN = tree(
    [
        node("g0", "pair"),
        node("g1", "oops", flaw="syntax"),
        node("g0.i0", "s, m", told="pair"),
        node("g0.i1", "s, s", told="pair"),
        node("g0.i1.r0", "retry", told="failed"),
        node("g0.i1.r1", "rewrite", told="failed"),
    ],
    [
        end("g0.i0", True, "0.30", "0.02"),
        end("g0.i1.r0", False, "0.10", "0.03"),
        end("g0.i1.r1", True, "0.50", "0.03"),
        end("g1", False, "0", "0.01"),
    ],
)


def test_it_knows_its_nodes_their_children_and_what_passes_through_them():
    assert GROWN.node("g0.i1").text == "s, s"
    assert [one.id for one in GROWN.children(None)] == ["g0", "g1"]
    assert [one.id for one in GROWN.children("g0.i1")] == ["g0.i1.r0", "g0.i1.r1"]
    assert GROWN.path("g0.i1.r0") == ("g0", "g0.i1", "g0.i1.r0")
    assert [one.path[-1] for one in GROWN.through("g0")] == ["g0.i0", "g0.i1.r0", "g0.i1.r1"]
    with pytest.raises(KeyError, match="tree of item-1 has no node 'g9'"):
        GROWN.node("g9")


def test_a_pruned_tree_keeps_the_first_branches_whole():
    assert [one.id for one in GROWN.pruned(1).nodes] == ["g0", "g0.i0", "g0.i1", "g0.i1.r0", "g0.i1.r1"]
    few = GROWN.pruned(2, 1)
    assert [one.id for one in few.nodes] == ["g0", "g1", "g0.i0"]
    assert [one.path for one in few.trajectories] == [("g0", "g0.i0"), ("g1",)]
    assert GROWN.pruned() == GROWN


@given(trees())
def test_it_comes_back_from_json_without_loss(grown):
    text = grown.to_json()
    assert text.isascii() and "\n" not in text
    assert Tree.from_json(text) == grown
    assert Tree.from_json(text).to_json() == text


def test_json_keeps_every_digit_of_a_cost_an_unknown_one_and_the_whole_of_a_prompt():
    told = (Message("assistant", "é", (ToolCall("1", "search", "{}"),)), Message("tool", "none", tool_call_id="1"))
    odd = replace(node("g0", "✓"), prompt=told, usage=Usage(2, 5, 7, None))
    grown = tree([odd], [replace(end("g0", True, "0"), cost_usd=Decimal("0.10000000000000000000000000000001200"))])
    back = Tree.from_json(grown.to_json())
    assert back == grown
    assert str(back.trajectories[0].cost_usd) == "0.10000000000000000000000000000001200"
    assert back.nodes[0].usage.cost_usd is None


@pytest.mark.parametrize(
    ("nodes", "ends", "told"),
    [
        ([node("g0", "a"), node("g0", "b")], [], "has two nodes 'g0'"),
        ([node("g0.i0", "a")], [], "the parent of 'g0.i0', 'g0', is not before it"),
        (
            [node("g0", "a"), replace(node("g0.i0", "a"), role="rectifier")],
            [],
            "'g0.i0' is decided by the rectifier, where the implementer is due",
        ),
        ([node("g0", "a"), node("g1", "b", told="else")], [], "'g1' and its sibling 'g0' were told different things"),
        ([node("g0", "a"), node("g0.i0", "b")], [], "not finished: no trajectory for g0 > g0.i0"),
        ([node("g0", "a"), node("g0.i0", "b")], [end("g0.i0", True, "1"), end("g0", True, "1")], "g0 is no way to an"),
        ([node("g0", "a")], [end("g0", True, "1"), end("g0", False, "1")], "or there twice"),
        ([node("g0", "a")], [end("g0", True, "-1")], "g0 cost -1 US dollars"),
        ([node("g0", "a")], [end("g0", True, "NaN")], "g0 cost NaN US dollars"),
    ],
)
def test_what_is_no_finished_tree_is_refused(nodes, ends, told):
    with pytest.raises(ValueError, match=told):
        tree(nodes, ends)


@pytest.mark.parametrize("damage", ["nodes", "trajectories", "item_id"])
def test_json_of_something_else_is_refused(damage):
    record = json.loads(templates(("a", True, "1")).to_json())
    del record[damage]
    with pytest.raises(ValueError, match="not the JSON of a tree"):
        Tree.from_json(json.dumps(record))
