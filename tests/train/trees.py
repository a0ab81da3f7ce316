"""Decision trees for tests: by hand, and any."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st

from masrepro.models.model import Message, Usage
from masrepro.train.tree import Node, Trajectory, Tree

ASKED = (Message("system", "Rules."), Message("user", "How many crates?"))


def node(id, text, *, flaw="", told=None):
    """A node by its id; what it was told follows from what was written before it."""
    parent = id.rpartition(".")[0] or None
    role = {"g": "generator", "i": "implementer", "r": "rectifier"}[id.rpartition(".")[2][0]]
    prompt = ASKED if told is None else (Message("user", told),)
    return Node(id, parent, role, prompt, text, Usage(1, 9, 3, Decimal("0.01")), flaw)


def end(path, success, cost, meta="0"):
    """A trajectory to the node of that id."""
    parts = path.split(".")
    ids = tuple(".".join(parts[:k]) for k in range(1, len(parts) + 1))
    return Trajectory(ids, success, Decimal(cost), Decimal(meta), "correct" if success else "wrong")


def tree(nodes, trajectories):
    return Tree("item-1", "masbench/depth/2", "How many crates?", "none", tuple(nodes), tuple(trajectories))


def templates(*ends):
    """A tree of templates alone: one (text, success, cost) each."""
    nodes = [node(f"g{k}", text, flaw="" if cost != "0" else "syntax") for k, (text, _, cost) in enumerate(ends)]
    return tree(nodes, [end(f"g{k}", success, cost) for k, (_, success, cost) in enumerate(ends)])


money = st.decimals(0, 2, places=4)
texts = st.sampled_from(("one", "two", "three"))


@st.composite
def trees(draw):
    """Any finished tree of up to four templates; equal texts and costs of nothing are common."""
    nodes, written = [], {}

    def grow(parent, letter, most):
        told = None if parent is None else " > ".join(written[parent])
        ids = [f"{parent}.{letter}{k}" if parent else f"{letter}{k}" for k in range(draw(st.integers(0, most)))]
        for id in ids:
            text = draw(texts)
            written[id] = (*written.get(parent, ()), text)
            nodes.append(node(id, text, told=told))
        return ids

    for template in grow(None, "g", 4):
        for staffed in grow(template, "i", 2):
            for repaired in grow(staffed, "r", 2):
                grow(repaired, "r", 1)
    inner = {one.parent for one in nodes}
    leaves = [one.id for one in nodes if one.id not in inner]
    return tree(nodes, [end(id, draw(st.booleans()), draw(money), draw(money)) for id in leaves])
