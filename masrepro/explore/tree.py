"""A decision tree as a picture: a box a decision, indented below the one that it follows, with what it was worth.

The question's tree stands as an outline, from top to bottom, so that the largest fits a page's width. Each box says who
decided, what was written in short, its value V, which siblings it is preferred to and by how much, and how a way ends.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from masrepro.explore.drawing import CHOSEN, FAILED, FAINT, INK, LINE, document, said, text_lines, wrapped
from masrepro.lab.table import Row
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.parse import parse
from masrepro.train.credit import Credit, values
from masrepro.train.preference import preferences
from masrepro.train.tree import Node, Role, Trajectory, Tree

_WIDTH, _MARGIN, _INDENT, _PAD, _GAP = 480, 12, 22, 9, 8
_UNITS_PER_COLUMN = 7.4
_COLOURS: Mapping[Role, str] = {"generator": "#0072B2", "implementer": "#009E73", "rectifier": "#D55E00"}
_MOST_LINES = 2


def tree_svg(tree: Tree, credit: Credit = Credit()) -> str:
    """The tree as an SVG element.

    Parameters
    ----------
    tree : Tree
    credit : Credit
        How its ways are scored.
    """
    worth, better = values(tree, credit), _preferred(tree, credit)
    ends = {way.path[-1]: way for way in tree.trajectories}
    corners: dict[str, tuple[int, int]] = {}
    parts: list[str] = []
    y = _MARGIN
    for node in tree.nodes:
        x = _MARGIN + _INDENT * (len(tree.path(node.id)) - 1)
        width = _WIDTH - _MARGIN - x
        lines = _lines(node, worth[node.id], better.get(node.id, []), ends.get(node.id), width)
        height = 2 * _PAD + LINE * len(lines) - 4
        if node.parent is not None:
            parts.append(_branch(corners[node.parent], x, y + height // 2))
        parts.append(_box(node, (x, y, width, height), lines, is_chosen=node.id in better))
        corners[node.id] = (x + _INDENT // 2, y + height)
        y += height + _GAP
    return document(_WIDTH, y - _GAP + _MARGIN, tree_words(tree, credit), parts)


def tree_words(tree: Tree, credit: Credit = Credit()) -> str:
    """The tree in a sentence, for those who cannot see it."""
    counts = [f"{len([n for n in tree.nodes if n.role == role])} of the {role}" for role in _COLOURS]
    n_right = sum(way.success for way in tree.trajectories)
    fault = "" if tree.fault == "none" else f" under the fault {tree.fault!r}"
    worth = values(tree, credit)
    top = max(tree.children(None), key=lambda node: worth[node.id])
    return (
        f"Decision tree of an item of {tree.benchmark}{fault}: {', '.join(counts)}; {n_right} of "
        f"{len(tree.trajectories)} ways end right; {len(preferences(tree, credit))} pairs; the best template is "
        f"{top.id}, V {worth[top.id]:.2f}"
    )


def way_rows(tree: Tree, credit: Credit = Credit()) -> list[Row]:
    """A row a way: how it ended, what it cost with and without its meta-agents, and what its last decision is worth."""
    worth = values(tree, credit)
    return [
        {
            "way": " > ".join(way.path),
            "outcome": way.outcome,
            "system's USD": str(way.cost_usd),
            "meta-agents' USD": str(way.meta_usd),
            "R": worth[way.path[-1]],
        }
        for way in tree.trajectories
    ]


def _preferred(tree: Tree, credit: Credit) -> dict[str, list[tuple[str, float]]]:
    """By node, the siblings that it is preferred to and by how much; of equal texts the first stands for all."""
    nodes: defaultdict[tuple[Role, object, str], list[str]] = defaultdict(list)
    for node in tree.nodes:
        nodes[node.role, node.prompt, node.text].append(node.id)
    found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for pair in preferences(tree, credit):
        win, lose = (nodes[pair.role, pair.prompt, text][0] for text in (pair.win, pair.lose))
        found[win].append((lose, pair.delta))
    return found


def _lines(
    node: Node, worth: float, better: Sequence[tuple[str, float]], end: Trajectory | None, width: int
) -> list[tuple[str, str]]:
    """What a box says, each line with its style."""
    columns = int((width - 2 * _PAD) / _UNITS_PER_COLUMN)
    lines = [(f"{node.id} · {node.role} · V {worth:.2f}", f'font-weight="bold" fill="{_COLOURS[node.role]}"')]
    lines += [(line, "") for line in wrapped(_short(node), columns, _MOST_LINES)]
    if node.flaw:
        lines.append((f"cannot be read: {node.flaw}", f'fill="{FAILED}"'))
    if better:
        pairs = ", ".join(f"{id} (ΔV {delta:.2f})" for id, delta in better)
        lines += [(line, 'font-weight="bold"') for line in wrapped(f"preferred to {pairs}", columns, _MOST_LINES)]
    if end is not None:
        mark = "✓" if end.success else "✗"
        style = f'fill="{INK if end.success else FAILED}"'
        lines.append((f"{mark} {end.outcome}, {end.cost_usd.normalize():f} USD", style))
    return lines


def _short(node: Node) -> str:
    """An action in few words: a system by its size, and the rest as it stands."""
    if node.role == "generator" and not node.flaw:
        return _system(node.text)
    text = re.sub(r"\s*\n\s*", "; ", node.text.strip())
    return text or "(no text)"


def _system(text: str) -> str:
    try:
        plan = parse(text)
    except OrchestrationError:  # of another notation, or with workflows of its own
        return re.sub(r"\s*\n\s*", "; ", text.strip())
    if not plan.agents:
        return f"direct answer: {plan.answer}"
    flows = ", ".join(f"{flow.source} to {flow.target}" for flow in plan.flows)
    agents = f"{len(plan.agents)} agent{'s' * (len(plan.agents) > 1)}"
    goals = " | ".join(f"{agent.id}: {agent.goal or 'the question'}" for agent in plan.agents)
    return f"{agents}{f', {flows}' if flows else ''}. {goals}"


def _box(node: Node, place: tuple[int, int, int, int], lines: Sequence[tuple[str, str]], *, is_chosen: bool) -> str:
    x, y, width, height = place
    dash = ' stroke-dasharray="5 4"' if node.flaw else ""
    return (
        f'<g data-node="{said(node.id)}"><rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" '
        f'fill="{CHOSEN if is_chosen else "#fff"}" stroke="{_COLOURS[node.role]}" stroke-width="1.5"{dash}/>'
        f"{text_lines(x + _PAD, y + _PAD + 10, lines)}</g>"
    )


def _branch(corner: tuple[int, int], x: int, y: int) -> str:
    """From below the parent's box to the left of the child's."""
    left, top = corner
    return f'<path d="M{left},{top} V{y} H{x}" fill="none" stroke="{FAINT}" stroke-width="1.2"/>'
