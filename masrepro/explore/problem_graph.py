"""An item's dependency graph as a picture: a column a level, what is asked for marked, distractors faint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from masrepro.bench import Item
from masrepro.bench.masbench.graph import Problem, Quantity, SubTask

_BOX_W, _BOX_H = 172, 40
_GAP_X, _GAP_Y = 46, 10
_MARGIN, _HEAD = 12, 22
_ASKED, _CONE, _CARRIED, _FAINT = "#D55E00", "#0072B2", "#009E73", "#999999"
_SIGNS = {"more": "+", "times": "×"}

Place = tuple[int, int]


def item_svg(item: Item) -> str:
    """All of an item's sub-tasks under one another as an SVG element, each quantity with its name and value.

    Raises
    ------
    ValueError
        The item comes without its dependency graph.
    """
    if not item.problems:
        raise ValueError(f"item {item.id} has no dependency graph to be drawn")
    arrows: list[str] = []
    boxes: list[str] = []
    top, widest = _MARGIN, 0
    asked: dict[int, Place] = {}
    for number, task in enumerate(item.problems, start=1):
        head = f"Problem {number}" if len(item.problems) > 1 else str(item.meta.get("benchmark", item.id))
        boxes.append(f'<text x="{_MARGIN}" y="{top + 12}" font-weight="bold">{escape(head)}</text>')
        places = _places(task, top + _HEAD)
        boxes += _boxes(task, places)
        if isinstance(task, Problem):
            carried = [places[i] for i, q in enumerate(task.quantities) if q.form == "carried"]
            arrows += [_across(asked[number - 1], place) for place in carried if number - 1 in asked]
            arrows += _arrows(task, places)
            asked[number] = places[task.query]
        widest = max(widest, *(x + _BOX_W for x, _ in places.values()))
        top = max(y + _BOX_H for _, y in places.values()) + 2 * _GAP_Y
    name = item.meta.get("benchmark", item.id)
    title = f"Dependency graph of an item of {name}"
    return _document(widest + _MARGIN, top + _MARGIN, title, [*arrows, *boxes])


def _places(task: SubTask, top: int) -> dict[int, Place]:
    """Upper left corner of every box; a quantity stands in the column of its level."""
    if not isinstance(task, Problem):
        return {0: (_MARGIN, top)}
    rows: dict[int, int] = {}
    places = {}
    # What the answer needs comes first, so that distractors do not part a chain.
    for index in sorted(range(len(task.quantities)), key=lambda i: (i not in task.cone, i)):
        level = task.levels[index]
        rows[level] = rows.get(level, -1) + 1
        places[index] = (_MARGIN + (level - 1) * (_BOX_W + _GAP_X), top + rows[level] * (_BOX_H + _GAP_Y))
    return places


def _arrows(problem: Problem, places: Mapping[int, Place]) -> Iterator[str]:
    for index, quantity in enumerate(problem.quantities):
        for parent in quantity.parents:
            yield _arrow(places[parent], places[index], faint=index not in problem.cone)


def _boxes(task: SubTask, places: Mapping[int, Place]) -> Iterator[str]:
    if not isinstance(task, Problem):
        yield _box(places[0], task.asked.removeprefix("the "), str(task.answer), _ASKED, thick=True)
        return
    for index, quantity in enumerate(task.quantities):
        asked = index == task.query
        colour = _ASKED if asked else _CONE if index in task.cone else _FAINT
        colour = _CARRIED if quantity.form == "carried" else colour
        yield _box(places[index], quantity.name, _said(quantity, task.values[index]), colour, thick=asked)


def _said(quantity: Quantity, value: int) -> str:
    if quantity.form == "constant":
        return str(value)
    how = f"{_SIGNS[quantity.form]} {quantity.constant}" if quantity.form in _SIGNS else quantity.form
    return f"{how} = {value}"


def _box(place: Place, title: str, line: str, colour: str, *, thick: bool) -> str:
    x, y = place
    return (
        f'<rect x="{x}" y="{y}" width="{_BOX_W}" height="{_BOX_H}" rx="6" fill="#fff" stroke="{colour}" '
        f'stroke-width="{3 if thick else 1.5}"/>'
        f'<text x="{x + 8}" y="{y + 17}" fill="{colour}">{escape(title)}</text>'
        f'<text x="{x + 8}" y="{y + 33}">{escape(line)}</text>'
    )


def _arrow(source: Place, target: Place, *, faint: bool) -> str:
    x1, y1 = source[0] + _BOX_W, source[1] + _BOX_H // 2
    x2, y2 = target[0] - 2, target[1] + _BOX_H // 2
    bend = _GAP_X // 2
    return _path(f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}", "#ccc" if faint else "#555")


def _across(asked: Place, carried: Place) -> str:
    """From the answer of a problem down to where the next one needs it."""
    x1, y1 = asked[0] + _BOX_W // 2, asked[1] + _BOX_H
    x2, y2 = carried[0] + _BOX_W // 2, carried[1] - 2
    return _path(f"M{x1},{y1} C{x1},{(y1 + y2) // 2} {x2},{(y1 + y2) // 2} {x2},{y2}", _CARRIED, dashed=True)


def _path(path: str, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"{dash} marker-end="url(#tip)"/>'


def _document(width: int, height: int, title: str, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="max-width:100%;height:auto;background:#fff" font-family="system-ui, sans-serif" '
        f'font-size="12" fill="#1a1a1a"><title>{escape(title)}</title>'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#777"/></marker></defs>' + "".join(parts) + "</svg>"
    )
