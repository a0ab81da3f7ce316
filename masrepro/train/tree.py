"""The decision tree of a question: what the meta-agents wrote, and how each way from the question to an answer ended.

Pure data that is saved, drawn and scored again without a model call. What an end is worth is `credit`'s to say; who
grows a tree is `masrepro.lab.forest`'s. MAS² (arXiv 2509.24323), section 3.2: K templates under the question, N
implementations of each, and repairs where a run was interrupted.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any, Literal, get_args

from masrepro.models.model import Message, ToolCall, Usage

Role = Literal["generator", "implementer", "rectifier"]
ROLES: tuple[Role, ...] = get_args(Role)

TREE_SUFFIX = ".tree.json"
"""Of the files of a folder of trees."""

# Whose decision comes after whose. None: the question. A run that was repaired may be interrupted again.
_NEXT: dict[Role | None, Role] = {
    None: "generator",
    "generator": "implementer",
    "implementer": "rectifier",
    "rectifier": "rectifier",
}


@dataclass(frozen=True, slots=True)
class Node:
    """One decision: an action that a meta-agent took in a context.

    Parameters
    ----------
    id : str
        Unique in its tree: ``g0``, ``g0.i1``, ``g0.i1.r0``.
    parent : str or None
        The decision before it; None for a generator's, which stands under the question.
    role : {"generator", "implementer", "rectifier"}
        Whose decision it is.
    prompt : tuple of Message
        What the meta-agent was told: the context, which siblings share.
    text : str
        What it wrote: the action.
    usage : Usage
        Of that call.
    flaw : str
        Rule that was broken where the text could not be read, else empty.
    """

    id: str
    parent: str | None
    role: Role
    prompt: tuple[Message, ...]
    text: str
    usage: Usage
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A way from the question to an end, tau.

    Parameters
    ----------
    path : tuple of str
        Ids of its nodes from the top down, to one that has no children.
    success : bool
        Whether the answer was right. False where an action on the path could not be read: that ends it.
    cost_usd : Decimal
        In US dollars, of the system's own calls in all its attempts; 0 where nothing ran.
    meta_usd : Decimal
        Of the calls of the path's meta-agents.
    outcome : str
        As scored (``correct``, ``wrong``, ``invalid`` ...).
    """

    path: tuple[str, ...]
    success: bool
    cost_usd: Decimal
    meta_usd: Decimal
    outcome: str


@dataclass(frozen=True, slots=True)
class Tree:
    """All that was tried for one question.

    Parameters
    ----------
    item_id, benchmark, question : str
        What was asked.
    fault : str
        What was made to go wrong while its systems ran; ``none`` if nothing was.
    nodes : tuple of Node
        Parents before children.
    trajectories : tuple of Trajectory
        One for each node without children.

    Raises
    ------
    ValueError
        It is no tree, a role is out of its turn, siblings were told different things, or the trajectories are not
        those that the nodes make. Names the node or the path.
    """

    item_id: str
    benchmark: str
    question: str
    fault: str
    nodes: tuple[Node, ...]
    trajectories: tuple[Trajectory, ...]

    def __post_init__(self) -> None:
        place = f"the tree of {self.item_id}"
        _check_nodes(self.nodes, place)
        _check_trajectories(self, place)

    def node(self, id: str) -> Node:
        """The node of that id. Raises KeyError."""
        for node in self.nodes:
            if node.id == id:
                return node
        raise KeyError(f"the tree of {self.item_id} has no node {id!r}")

    def children(self, id: str | None) -> tuple[Node, ...]:
        """The decisions that follow a node; those under the question for None."""
        return tuple(node for node in self.nodes if node.parent == id)

    def path(self, id: str) -> tuple[str, ...]:
        """Ids from the top down to a node."""
        parent = self.node(id).parent
        return (id,) if parent is None else (*self.path(parent), id)

    def through(self, id: str) -> tuple[Trajectory, ...]:
        """The trajectories that pass through a node."""
        return tuple(trajectory for trajectory in self.trajectories if id in trajectory.path)

    def pruned(self, n_templates: int | None = None, n_implementations: int | None = None) -> Tree:
        """The tree with the first templates alone, and of each the first implementations; all where None."""
        most = {"generator": n_templates, "implementer": n_implementations}
        kept: set[str] = set()
        for node in self.nodes:
            first = self.children(node.parent)[: most.get(node.role)]
            if node in first and (node.parent is None or node.parent in kept):
                kept.add(node.id)
        return replace(
            self,
            nodes=tuple(node for node in self.nodes if node.id in kept),
            trajectories=tuple(one for one in self.trajectories if one.path[-1] in kept),
        )

    def to_json(self) -> str:
        """One line of ASCII; amounts of money are decimal strings, an unknown cost is null."""
        return json.dumps(asdict(self), default=_decimal_text, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Tree:
        """The tree that gave this JSON, without loss.

        Raises
        ------
        ValueError
            The text is not the JSON of a tree.
        """
        try:
            record = json.loads(text)
            nodes = tuple(map(_node, record.pop("nodes")))
            trajectories = tuple(map(_trajectory, record.pop("trajectories")))
            return cls(**record, nodes=nodes, trajectories=trajectories)
        except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"not the JSON of a tree: {error!r}") from error


def _check_nodes(nodes: tuple[Node, ...], place: str) -> None:
    seen: dict[str | None, Node] = {}
    eldest: dict[str | None, Node] = {}
    for node in nodes:
        if node.id in seen:
            raise ValueError(f"{place} has two nodes {node.id!r}")
        if node.parent is not None and node.parent not in seen:
            raise ValueError(f"{place}: the parent of {node.id!r}, {node.parent!r}, is not before it")
        due = _NEXT[None if node.parent is None else seen[node.parent].role]
        if node.role != due:
            raise ValueError(f"{place}: {node.id!r} is decided by the {node.role}, where the {due} is due")
        seen[node.id] = node
        if eldest.setdefault(node.parent, node).prompt != node.prompt:
            raise ValueError(
                f"{place}: {node.id!r} and its sibling {eldest[node.parent].id!r} were told different things"
            )


def _check_trajectories(tree: Tree, place: str) -> None:
    parents = {node.parent for node in tree.nodes}
    due = {tree.path(node.id) for node in tree.nodes if node.id not in parents}
    had = Counter(trajectory.path for trajectory in tree.trajectories)
    for path in due - had.keys():
        raise ValueError(f"{place} is not finished: no trajectory for {' > '.join(path)}")
    for path, n_times in had.items():
        if path not in due or n_times > 1:
            raise ValueError(
                f"{place}: {' > '.join(path) or 'a path without nodes'} is no way to an end, or there twice"
            )
    for trajectory in tree.trajectories:
        for amount in (trajectory.cost_usd, trajectory.meta_usd):
            if not amount.is_finite() or amount < 0:
                raise ValueError(f"{place}: {' > '.join(trajectory.path)} cost {amount} US dollars")


def _decimal_text(value: object) -> str:
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{value!r} has no place in a tree")


def _node(record: dict[str, Any]) -> Node:
    usage = dict(record["usage"])
    cost = usage.pop("cost_usd")
    told = tuple(map(_message, record["prompt"]))
    return Node(**{**record, "prompt": told, "usage": Usage(**usage, cost_usd=None if cost is None else Decimal(cost))})


def _message(record: dict[str, Any]) -> Message:
    return Message(**{**record, "tool_calls": tuple(ToolCall(**call) for call in record["tool_calls"])})


def _trajectory(record: dict[str, Any]) -> Trajectory:
    money = {name: Decimal(record[name]) for name in ("cost_usd", "meta_usd")}
    return Trajectory(**{**record, "path": tuple(record["path"]), **money})
