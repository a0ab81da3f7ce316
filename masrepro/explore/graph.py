"""An orchestration as a picture: from top to bottom, level by level, what flows named in the box it leaves, the sink
marked, and after a run what became of every agent.

At most two agents stand beside one another, so that a wide system is as legible on a phone as a chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from masrepro.explore.act import Act
from masrepro.explore.drawing import CHOSEN, COLOURS, FAILED, FAINT, LINE, document, said, text_lines, wrapped
from masrepro.orchestration.plan import Agent, Flow, Orchestration

_WIDE, _NARROW = 320, 198
"""Width of a box that stands alone, and of one of two."""
_MARGIN, _GAP_X, _GAP_Y, _PAD, _TRACK = 4, 10, 34, 10, 9
_LETTERS, _UNITS_PER_COLUMN = 14, 8.2
_GOAL_LINES, _ANSWER_LINES, _FLOW_LINES = 6, 4, 2
_ARROW = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>'
)

Line = tuple[str, str]
_BOLD = 'font-weight="bold"'


@dataclass(frozen=True, slots=True)
class _Place:
    x: int
    y: int
    width: int
    height: int
    row: int

    @property
    def middle(self) -> int:
        return self.x + self.width // 2

    @property
    def bottom(self) -> int:
        return self.y + self.height


def plan_svg(
    plan: Orchestration,
    answers: Mapping[str, str | None] | None = None,
    *,
    acts: Mapping[str, Act] | None = None,
    chosen: str | None = None,
) -> str:
    """The orchestration as an SVG element.

    Parameters
    ----------
    plan : Orchestration
        A direct answer is shown as one box.
    answers : mapping of str to str or None, optional
        Answer by agent id after a run, written into each agent's box.
    acts : mapping of str to Act, optional
        The same with more: what became of every agent (`masrepro.explore.act.acts`). Goes before ``answers``.
    chosen : str, optional
        Id of an agent to be marked. Each agent is a group with its id as ``data-agent``.
    """
    if not plan.agents:
        lines = [("answer", _BOLD), *_plain(wrapped(plan.answer or "", _columns(_WIDE), 20))]
        place = _Place(_MARGIN, _MARGIN, _WIDE, _height(lines), 0)
        box = _box(place, lines, "#000", 'stroke-width="1.5"')
        return document(_WIDE + 2 * _MARGIN, place.bottom + _MARGIN, "A direct answer", [_large([box])])
    rows = [list(level[k : k + 2]) for level in plan.levels for k in range(0, len(level), 2)]
    width = _NARROW if plan.width > 1 else _WIDE
    texts = {agent.id: _texts(plan, agent, width, _outcome(agent.id, answers or {}, acts)) for agent in plan.agents}
    places = _places(rows, width, texts)
    tracks = _tracks(plan.flows, places)
    parts = [_arrow(flow, places, tracks) for flow in plan.flows]
    parts += [
        _agent(agent, places[agent.id], texts[agent.id], _border(plan, agent, acts), agent.id == chosen)
        for agent in plan.agents
    ]
    shape = f"{len(plan.agents)} agents, longest chain {plan.longest_chain}, width {plan.width}"
    right = _right(places) + (_TRACK * (len(tracks) + 1) if tracks else 0)
    bottom = max(place.bottom for place in places.values())
    return document(right + _MARGIN, bottom + _MARGIN, f"Orchestration of {shape}", [_large(parts)], marker=_ARROW)


def _large(parts: Sequence[str]) -> str:
    """In letters that can be read where two boxes share a phone's width."""
    return f'<g font-size="{_LETTERS}">{"".join(parts)}</g>'


def _texts(plan: Orchestration, agent: Agent, width: int, outcome: str | None) -> list[Line]:
    """All lines of an agent's box."""
    columns = _columns(width)
    title = f"{agent.id} · {agent.workflow}" + (" · sink" if agent.id == plan.sink else "")
    title += f" · {agent.backbone}" if agent.backbone else ""
    lines = [(line, _BOLD) for line in wrapped(title, columns - 2, 3)]
    lines += _plain(wrapped(agent.goal or "(the question itself)", columns, _GOAL_LINES))
    if outcome is not None:
        style = _BOLD if outcome.startswith("= ") else f'{_BOLD} fill="{FAILED}"'
        lines += [(line, style) for line in wrapped(outcome, columns - 2, _ANSWER_LINES)]
    for payload, flows in groupby(plan.outputs(agent.id), key=lambda flow: flow.payload):
        to = ", ".join(flow.target for flow in flows)
        passed = f"→ {to}: {payload}" if payload else f"→ {to}"
        lines += [(line, f'fill="{FAINT}"') for line in wrapped(passed, columns, _FLOW_LINES)]
    return lines


def _outcome(id: str, answers: Mapping[str, str | None], acts: Mapping[str, Act] | None) -> str | None:
    if acts is not None:
        return acts[id].outcome if id in acts else None
    if id not in answers:
        return None
    answer = answers[id]
    return "= no answer" if answer is None else f"= {answer}"


def _border(plan: Orchestration, agent: Agent, acts: Mapping[str, Act] | None) -> str:
    """How the box is bordered: thick for the sink, dashed where nothing was done or it failed."""
    state = acts[agent.id].state if acts is not None and agent.id in acts else "finished"
    dash = {"finished": "", "not run": ' stroke-dasharray="2 4"'}.get(state, ' stroke-dasharray="8 4"')
    return f'stroke-width="{3 if agent.id == plan.sink else 1.5}"{dash}'


def _places(rows: Sequence[Sequence[str]], width: int, texts: Mapping[str, Sequence[Line]]) -> dict[str, _Place]:
    """Where every box stands: rows below one another, a box that is alone in its row in the middle."""
    whole = 2 * width + _GAP_X if width == _NARROW else width
    places = {}
    y = _MARGIN
    for number, row in enumerate(rows):
        height = max(_height(texts[id]) for id in row)
        x = _MARGIN + (whole - len(row) * width - (len(row) - 1) * _GAP_X) // 2
        for column, id in enumerate(row):
            places[id] = _Place(x + column * (width + _GAP_X), y, width, height, number)
        y += height + _GAP_Y
    return places


def _tracks(flows: Sequence[Flow], places: Mapping[str, _Place]) -> dict[str, int]:
    """A track right of all boxes for each agent that a flow reaches past other rows."""
    far = [flow.target for flow in flows if places[flow.target].row - places[flow.source].row > 1]
    return {target: number for number, target in enumerate(dict.fromkeys(far), start=1)}


def _arrow(flow: Flow, places: Mapping[str, _Place], tracks: Mapping[str, int]) -> str:
    source, target = places[flow.source], places[flow.target]
    x1, y1, x2, y2 = source.middle, source.bottom, target.middle, target.y - 2
    if target.row - source.row == 1:
        path = f"M{x1},{y1} C{x1},{y1 + _GAP_Y // 2} {x2},{y2 - _GAP_Y // 2} {x2},{y2}"
    else:
        track = _right(places) + _TRACK * tracks[flow.target]
        path = _rounded(((x1, y1), (x1, y1 + 12), (track, y1 + 12), (track, y2 - 14), (x2, y2 - 14), (x2, y2)))
    title = flow.payload or f"{flow.source} → {flow.target}"
    return (
        f'<path d="{path}" fill="none" stroke="#777" stroke-width="1.5" marker-end="url(#head)">'
        f"<title>{said(title)}</title></path>"
    )


def _rounded(points: Sequence[tuple[int, int]], radius: int = 6) -> str:
    """A path along upright and level lines with round corners."""
    path = f"M{points[0][0]},{points[0][1]}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        (x1, y1), (x2, y2) = _towards(corner, before, radius), _towards(corner, after, radius)
        path += f" L{x1},{y1} Q{corner[0]},{corner[1]} {x2},{y2}"
    return f"{path} L{points[-1][0]},{points[-1][1]}"


def _towards(start: tuple[int, int], end: tuple[int, int], most: int) -> tuple[int, int]:
    dx, dy = (max(-most, min(most, (end[k] - start[k]) // 2)) for k in (0, 1))
    return start[0] + dx, start[1] + dy


def _agent(agent: Agent, place: _Place, lines: Sequence[Line], border: str, is_chosen: bool) -> str:
    box = _box(place, lines, COLOURS.get(agent.workflow, "#000"), border, CHOSEN if is_chosen else "#fff")
    title = said(f"{agent.id}: {agent.goal or 'the question itself'}")
    return f'<g data-agent="{said(agent.id)}"><title>{title}</title>{box}</g>'


def _box(place: _Place, lines: Sequence[Line], colour: str, border: str, fill: str = "#fff") -> str:
    return (
        f'<rect x="{place.x}" y="{place.y}" width="{place.width}" height="{place.height}" rx="6" fill="{fill}" '
        f'stroke="{colour}" {border}/>'
        f'<path d="M{place.x + 5},{place.y + 8} V{place.bottom - 8}" stroke="{colour}" stroke-width="4"/>'
        + text_lines(place.x + _PAD + 4, place.y + LINE + 3, lines)
    )


def _plain(lines: Sequence[str]) -> list[Line]:
    return [(line, "") for line in lines]


def _columns(width: int) -> int:
    return int((width - 2 * _PAD) / _UNITS_PER_COLUMN)


def _height(lines: Sequence[Line]) -> int:
    return LINE * len(lines) + 14


def _right(places: Mapping[str, _Place]) -> int:
    return max(place.x + place.width for place in places.values())
