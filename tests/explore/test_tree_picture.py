"""A decision tree as a picture and as a table: who decided, what it was worth, and how it ended."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from xml.etree import ElementTree

from masrepro.explore.tree import tree_svg, tree_words, way_rows
from masrepro.models import Message, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.train.credit import Credit
from masrepro.train.tree import Node, Trajectory, Tree

SPENT = Usage(1, 10, 10, Decimal("0.00001"))
TEMPLATE = Orchestration((Agent("a1", "", "Find <x> & y."), Agent("a2", "", "")), (Flow("a1", "a2"),)).to("calls")


def node(id: str, role: str, text: str, flaw: str = "") -> Node:
    parent = id.rpartition(".")[0] or None
    return Node(id, parent, role, (Message("user", f"below {parent}"),), text, SPENT, flaw)


def way(*path: str, success: bool, usd: str = "0.001") -> Trajectory:
    return Trajectory(path, success, Decimal(usd), Decimal("0.00002"), "correct" if success else "wrong")


TREE = Tree(
    "item",
    "masbench/depth/4",
    "Q",
    "back-end down",
    (
        node("g0", "generator", TEMPLATE),
        node("g0.i0", "implementer", "a1: s\na2: m"),
        node("g0.i0.r0", "rectifier", 'change_agent(id="a1", backbone="m")'),
        node("g0.i0.r1", "rectifier", "nothing to change"),
        node("g0.i1", "implementer", "a1: x", "unknown-backbone"),
        node("g1", "generator", "no system at all", "syntax"),
        node("g2", "generator", 'answer(text="3")'),
    ),
    (
        way("g0", "g0.i0", "g0.i0.r0", success=True),
        way("g0", "g0.i0", "g0.i0.r1", success=False),
        Trajectory(("g0", "g0.i1"), False, Decimal(0), Decimal("0.00002"), "invalid"),
        Trajectory(("g1",), False, Decimal(0), Decimal("0.00001"), "invalid"),
        way("g2", success=False),
    ),
)


def texts(svg: str) -> dict[str, list[str]]:
    """Lines of each box by node."""
    root = ElementTree.fromstring(svg)
    found = {}
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        found[group.get("data-node")] = [t.text or "" for t in group.iter("{http://www.w3.org/2000/svg}text")]
    return found


def test_each_decision_has_a_box_that_says_who_what_and_its_value():
    boxes = texts(tree_svg(TREE))
    assert list(boxes) == [one.id for one in TREE.nodes]
    assert boxes["g0"][:2] == ["g0 · generator · V 0.20", "2 agents, a1 to a2. a1: Find <x> & y. | a2: the question"]
    assert boxes["g0.i0"][:2] == ["g0.i0 · implementer · V 0.30", "a1: s; a2: m"]
    assert boxes["g2"][1] == "direct answer: 3"


def test_a_box_says_what_it_is_preferred_to_what_cannot_be_read_and_how_a_way_ends():
    boxes = texts(tree_svg(TREE))
    assert "preferred to g0.i0.r1 (ΔV 0.60)" in boxes["g0.i0.r0"]
    assert "preferred to g1 (ΔV 0.20), g2 (ΔV 0.20)" in boxes["g0"]
    assert "cannot be read: unknown-backbone" in boxes["g0.i1"]
    assert boxes["g0.i0.r0"][-1] == "✓ correct, 0.001 USD"
    assert boxes["g1"][-1] == "✗ invalid, 0 USD"


def test_boxes_stand_below_one_another_inside_the_picture_and_deeper_ones_further_in():
    root = ElementTree.fromstring(tree_svg(TREE))
    _, _, width, height = map(float, root.get("viewBox").split())
    boxes = [
        [float(rect.get(name)) for name in ("x", "y", "width", "height")]
        for rect in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    for (_, y, _, high), (_, next_y, _, _) in pairwise(boxes):
        assert next_y >= y + high
    assert all(x + wide <= width and y + high <= height for x, y, wide, high in boxes)
    assert boxes[0][0] < boxes[1][0] < boxes[2][0]


def test_the_picture_says_in_words_what_it_shows():
    words = tree_words(TREE)
    assert words == (
        "Decision tree of an item of masbench/depth/4 under the fault 'back-end down': 3 of the generator, 2 of the "
        "implementer, 2 of the rectifier; 1 of 5 ways end right; 4 pairs; the best template is g0, V 0.20"
    )
    assert ElementTree.fromstring(tree_svg(TREE)).get("aria-label") == words


def test_another_credit_gives_another_value():
    assert "V 0.33" in tree_svg(TREE, Credit(failures_in_mean=False))


def test_a_row_a_way():
    first, *others = way_rows(TREE)
    assert first == {
        "way": "g0 > g0.i0 > g0.i0.r0",
        "outcome": "correct",
        "system's USD": "0.001",
        "meta-agents' USD": "0.00002",
        "R": 0.6,
    }
    assert len(others) == 4
