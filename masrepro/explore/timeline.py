"""What ran when, as a picture and a table, with the path that decided how long the run took."""

from __future__ import annotations

from collections.abc import Sequence

from masrepro.explore.drawing import COLOURS, FAINT, INK, LINE, document, said, text_lines, wrapped
from masrepro.lab.table import Row
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.trace import Span, Trace

_WIDTH, _MARGIN, _ROW, _BAR = 380, 6, 42, 14
_COLUMNS = 46


def critical_path(trace: Trace) -> tuple[Span, ...]:
    """The acts and repairs that the end of a run had to wait for, one after the other.

    Backwards from what ended last: of the inputs of an act, and of what came before a repair, the one that came last.
    Empty where nothing was run.
    """
    spans = _told(trace)
    path = [max(spans, key=lambda span: span.end_s)] if spans else []
    while path and (before := _awaited(path[-1], spans)):
        path.append(max(before, key=lambda span: span.end_s))
    return tuple(reversed(path))


def timeline_svg(trace: Trace, plan: Orchestration | None = None) -> str:
    """A bar an act or repair, from its start to its end, as an SVG element; those of the critical path are filled.

    Parameters
    ----------
    trace : Trace
    plan : Orchestration, optional
        Says which workflow an agent follows, which is its colour.
    """
    spans = _told(trace)
    if not spans:
        return document(_WIDTH, 40, "Nothing was run", [text_lines(_MARGIN, 24, [("Nothing was run.", "")])])
    path = critical_path(trace)
    whole_s = max(span.end_s for span in trace) or 1e-6
    workflows = {agent.id: agent.workflow for agent in plan.agents} if plan else {}
    busy_s = sum(span.end_s - span.start_s for span in path)
    names = " → ".join(_name(span) for span in path)
    head = wrapped(f"Critical path (filled): {names}; {_time(busy_s)} of {_time(whole_s)}", _COLUMNS, 6)
    top = _MARGIN + LINE * len(head) + 6
    bottom = top + _ROW * len(spans)
    parts = [text_lines(_MARGIN, _MARGIN + LINE - 4, [(line, "") for line in head]), _axis(whole_s, top, bottom)]
    for row, span in enumerate(spans):
        colour = COLOURS.get(workflows.get(span.agent, ""), "#000")
        parts.append(_bar(span, top + row * _ROW, whole_s, colour, span in path))
    return document(_WIDTH, bottom + 2 * LINE, f"Timeline of {len(spans)} acts, {_time(whole_s)}", parts)


def timeline_rows(trace: Trace) -> list[Row]:
    """A row an act or repair, in the order in which they began; times in seconds since the run began."""
    path = critical_path(trace)
    return [
        {
            "who": _name(span),
            "from s": round(span.start_s, 3),
            "to s": round(span.end_s, 3),
            "waited for": ", ".join(span.inputs),
            "critical": "yes" if span in path else "",
            "error": span.error or "",
        }
        for span in _told(trace)
    ]


def _told(trace: Trace) -> list[Span]:
    """Acts and repairs, and the calls of one who builds a system while it runs, as they began."""
    own = (span for span in trace if span.kind in ("agent", "repair") or (span.kind == "call" and span.parent is None))
    return sorted(own, key=lambda span: (span.start_s, span.id))


def _awaited(span: Span, spans: Sequence[Span]) -> list[Span]:
    """What had ended before a span could begin, and was the reason for its waiting."""
    ended = [other for other in spans if other.end_s <= span.start_s and other.id != span.id]
    if span.kind != "agent":
        return ended
    repairs = [other for other in ended if other.kind != "agent"]
    return repairs + [other for other in ended if other.kind == "agent" and other.agent in span.inputs]


def _name(span: Span) -> str:
    return {"agent": span.agent, "repair": "repair"}.get(span.kind, span.agent)


def _time(seconds: float) -> str:
    if 0 < seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.2f} s" if seconds else "0"


def _at(seconds: float, whole_s: float) -> float:
    return _MARGIN + (_WIDTH - 2 * _MARGIN) * seconds / whole_s


def _axis(whole_s: float, top: int, bottom: int) -> str:
    """Upright lines at quarters of the run."""
    marks = []
    for quarter in range(5):
        x = _at(whole_s * quarter / 4, whole_s)
        anchor = "start" if quarter == 0 else "end" if quarter == 4 else "middle"
        marks.append(f'<path d="M{x:.1f},{top} V{bottom}" stroke="#ddd"/>')
        label = _time(whole_s * quarter / 4)
        marks.append(f'<text x="{x:.1f}" y="{bottom + LINE}" text-anchor="{anchor}" fill="{FAINT}">{label}</text>')
    return "".join(marks)


def _bar(span: Span, y: int, whole_s: float, colour: str, is_critical: bool) -> str:
    x, end = _at(span.start_s, whole_s), _at(span.end_s, whole_s)
    label = f"{_name(span)}, {_time(span.end_s - span.start_s)}" + (", failed" if span.error else "")
    # The label begins with its bar, but ends within the picture.
    left = min(int(x), _WIDTH - _MARGIN - 8 * min(len(label), _COLUMNS))
    fill = colour if is_critical else "#fff"
    dash = ' stroke-dasharray="6 3"' if span.error else ""
    title = said(f"{_name(span)}: {_time(span.start_s)} to {_time(span.end_s)}")
    return (
        text_lines(max(left, _MARGIN), y + LINE, [(wrapped(label, _COLUMNS, 1)[0], f'fill="{INK}"')])
        + f'<rect x="{x:.1f}" y="{y + LINE + 5}" width="{max(end - x, 2):.1f}" height="{_BAR}" fill="{fill}" '
        f'stroke="{colour}" stroke-width="1.5"{dash}><title>{title}</title></rect>'
    )
