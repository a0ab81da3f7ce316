"""An orchestration as a picture: a column a level, left to right, flows as arrows, the sink marked."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from html import escape

from masrepro.orchestration.plan import Agent, Orchestration

_BOX_W, _BOX_H = 240, 84
_GAP_X, _GAP_Y = 70, 26
_MARGIN = 14
_WIDEST = 960
_LINE_CHARS = 32
# Okabe and Ito's palette; a workflow that is not listed is drawn in black.
_COLOURS = {
    "cot": "#0072B2",
    "cot_sc": "#56B4E9",
    "debate": "#D55E00",
    "reflexion": "#CC79A7",
    "deep_research": "#009E73",
}


def plan_svg(plan: Orchestration, answers: Mapping[str, str | None] | None = None) -> str:
    """The orchestration as an SVG element.

    Parameters
    ----------
    plan : Orchestration
        A direct answer is shown as one box.
    answers : mapping of str to str or None, optional
        Answer by agent id after a run, written under each agent.
    """
    if not plan.agents:
        box = _box(_MARGIN, _MARGIN, "answer", [plan.answer or ""], "#000")
        return _document(_BOX_W, _BOX_H, "A direct answer", [box])
    places = _places(plan)
    rows = max(map(len, plan.levels))
    width = len(plan.levels) * (_BOX_W + _GAP_X) - _GAP_X
    height = rows * (_BOX_H + _GAP_Y) - _GAP_Y
    parts = [_arrow(places[flow.source], places[flow.target], flow.payload) for flow in plan.flows]
    parts += [_agent(agent, places[agent.id], agent.id == plan.sink, answers or {}) for agent in plan.agents]
    shape = f"{len(plan.agents)} agents, longest chain {plan.longest_chain}, width {plan.width}"
    return _document(width, height, f"Orchestration of {shape}", parts)


def _places(plan: Orchestration) -> dict[str, tuple[int, int]]:
    """Upper left corner of every agent's box; columns are centred."""
    tallest = max(map(len, plan.levels))
    places = {}
    for column, level in enumerate(plan.levels):
        offset = (tallest - len(level)) * (_BOX_H + _GAP_Y) // 2
        for row, agent_id in enumerate(level):
            places[agent_id] = (
                _MARGIN + column * (_BOX_W + _GAP_X),
                _MARGIN + offset + row * (_BOX_H + _GAP_Y),
            )
    return places


def _agent(agent: Agent, place: tuple[int, int], is_sink: bool, answers: Mapping[str, str | None]) -> str:
    goal = textwrap.shorten(agent.goal or "(the question itself)", 2 * _LINE_CHARS)
    lines = textwrap.wrap(goal, _LINE_CHARS)[:2]
    if agent.id in answers:
        answer = answers[agent.id]
        said = "no answer" if answer is None else answer
        lines.append("= " + textwrap.shorten(said, _LINE_CHARS))
    title = f"{agent.id} · {agent.workflow}" + (" · sink" if is_sink else "")
    title += f" · {agent.backbone}" if agent.backbone else ""
    return _box(*place, title, lines, _COLOURS.get(agent.workflow, "#000"), thick=is_sink)


def _box(x: int, y: int, title: str, lines: list[str], colour: str, *, thick: bool = False) -> str:
    texts = [f'<text x="{x + 10}" y="{y + 20}" font-weight="bold" fill="{colour}">{escape(title)}</text>']
    texts += [f'<text x="{x + 10}" y="{y + 39 + 17 * row}">{escape(line)}</text>' for row, line in enumerate(lines)]
    frame = (
        f'<rect x="{x}" y="{y}" width="{_BOX_W}" height="{_BOX_H}" rx="7" fill="#fff" stroke="{colour}" '
        f'stroke-width="{3 if thick else 1.5}"/>'
    )
    return frame + "".join(texts)


def _arrow(source: tuple[int, int], target: tuple[int, int], payload: str) -> str:
    x1, y1 = source[0] + _BOX_W, source[1] + _BOX_H // 2
    x2, y2 = target[0] - 3, target[1] + _BOX_H // 2
    bend = _GAP_X // 2
    path = f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}"
    return (
        f'<path d="{path}" fill="none" stroke="#777" stroke-width="1.5" marker-end="url(#head)">'
        f"<title>{escape(payload)}</title></path>"
    )


def _document(width: int, height: int, title: str, parts: list[str]) -> str:
    width, height = width + 2 * _MARGIN, height + 2 * _MARGIN
    # A notebook shows an SVG in its own size, so a wide one is made to fit.
    scale = min(1.0, _WIDEST / width)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width * scale:.0f}" height="{height * scale:.0f}" style="max-width:100%;height:auto;background:#fff" '
        'font-family="system-ui, sans-serif" '
        f'font-size="12" fill="#1a1a1a"><title>{escape(title)}</title>'
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#777"/></marker></defs>' + "".join(parts) + "</svg>"
    )
