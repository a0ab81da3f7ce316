"""Pairs of actions for the same context, the better first: what Collaborative Tree Optimisation learns from.

MAS² (arXiv 2509.24323), section 3.2: D = {(c_v, a_win, a_lose, dV)} with dV = V(v') - V(v'') > 0 for siblings v', v''.
A context is what a meta-agent was told. Those who wrote the same for the same context took one action, which has the
trajectories of all of them; what was told after it is one context again. A text that could not be read is an action
like any other, worth nothing. So a tree of failures gives no pairs, and a tree of successes those of cost alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random

from masrepro.models.model import Message
from masrepro.train.credit import Credit, exact_rewards, mean_reward
from masrepro.train.tree import Role, Trajectory, Tree

Context = tuple[Role, tuple[Message, ...]]


@dataclass(frozen=True, slots=True)
class Preference:
    """For one context, an action that was worth more than another.

    Parameters
    ----------
    role : {"generator", "implementer", "rectifier"}
        Who learns from it.
    item_id : str
        The question's.
    prompt : tuple of Message
        The context.
    win, lose : str
        The actions.
    delta : float
        dV, by how much the mean reward of one is above that of the other; > 0.
    """

    role: Role
    item_id: str
    prompt: tuple[Message, ...]
    win: str
    lose: str
    delta: float


def preferences(tree: Tree, credit: Credit = Credit(), *, least: float = 0.0) -> list[Preference]:
    """All pairs of a tree, in the order of its nodes.

    Parameters
    ----------
    tree : Tree
    credit : Credit
    least : float
        Least difference of value of a pair. Equal values never make one.
    """
    by_path = exact_rewards(tree, credit)
    found = []
    for (role, prompt), actions in _contexts(tree):
        worth = {text: mean_reward(through, by_path) for text, through in actions.items()}
        for text, other in combinations(worth, 2):
            win, lose = (text, other) if worth[text] > worth[other] else (other, text)
            delta = float(worth[win] - worth[lose])
            if delta > 0 and delta >= least:
                found.append(Preference(role, tree.item_id, prompt, win, lose, delta))
    return found


def widest(pairs: Iterable[Preference], per_context: int) -> list[Preference]:
    """Of each question's contexts the pairs that differ most in value, so many at most; otherwise in their order."""
    of_context: defaultdict[tuple[str, Context], list[int]] = defaultdict(list)
    given = list(pairs)
    for place, pair in enumerate(given):
        of_context[pair.item_id, (pair.role, pair.prompt)].append(place)
    kept: set[int] = set()
    for places in of_context.values():
        kept.update(sorted(places, key=lambda place: -given[place].delta)[:per_context])
    return [pair for place, pair in enumerate(given) if place in kept]


def held_out(pairs: Sequence[Preference], share: float, seed: int) -> tuple[list[Preference], list[Preference]]:
    """The pairs to learn from, and those of a share of the questions that is set apart.

    Parameters
    ----------
    pairs : sequence of Preference
    share : float
        Of the questions, in [0, 1); rounded, and at least one unless it is 0. One question is always learned from.
    seed : int
        The same questions for the same seed, whatever the order of the pairs.
    """
    items = sorted({pair.item_id for pair in pairs})
    Random(seed).shuffle(items)
    n_apart = min(max(1, round(share * len(items))), len(items) - 1) if share and items else 0
    apart = set(items[:n_apart])
    return [one for one in pairs if one.item_id not in apart], [one for one in pairs if one.item_id in apart]


def mean_one(pairs: Sequence[Preference]) -> list[Preference]:
    """The pairs with their deltas divided by the mean delta: how far a step goes no longer depends on its unit."""
    mean = sum(pair.delta for pair in pairs) / len(pairs) if pairs else 1.0
    return [replace(pair, delta=pair.delta / mean) for pair in pairs]


def _contexts(tree: Tree) -> Iterator[tuple[Context, dict[str, list[Trajectory]]]]:
    """Every context, with the trajectories of each action that was taken in it."""
    found: defaultdict[Context, defaultdict[str, list[Trajectory]]] = defaultdict(lambda: defaultdict(list))
    for node in tree.nodes:
        found[node.role, node.prompt][node.text].extend(tree.through(node.id))
    yield from found.items()
