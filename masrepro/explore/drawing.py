"""What all pictures have in common: text that stays data, lines that fit their box, one frame, one palette.

A picture is an SVG element of about 450 units in width with letters of 13 units, to be read on a wide screen and on a
phone. Okabe and Ito's colours are told apart by the colour-blind; nothing is said by colour alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from masrepro.lab.table import Row

INK, FAINT, FAILED, CHOSEN = "#1a1a1a", "#666666", "#A63C06", "#FFF3C4"
LINE = 17
"""Distance of two lines of text."""
COLOURS: Mapping[str, str] = {
    "cot": "#0072B2",
    "cot_sc": "#56B4E9",
    "debate": "#D55E00",
    "reflexion": "#CC79A7",
    "deep_research": "#009E73",
}
"""By workflow; one that is not listed is drawn in black."""

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def said(text: str) -> str:
    """The text, safe in XML and HTML; what XML cannot hold is shown as a replacement character."""
    return escape(_NO_XML.sub("\ufffd", text))


def wrapped(text: str, columns: int, most: int) -> list[str]:
    """The text in lines of so many columns, a wide character taking two; ends in ``…`` where there were more lines."""
    lines = list(_lines(" ".join(text.split()), columns))
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], lines[most - 1][: columns - 2].rstrip() + " …"]


def text_lines(x: int, y: int, lines: Sequence[tuple[str, str]]) -> str:
    """Lines of text below one another; each comes with further attributes, such as ``font-weight="bold"``."""
    return "".join(
        f'<text x="{x}" y="{y + LINE * row}"{" " * bool(style)}{style}>{said(line)}</text>'
        for row, (line, style) in enumerate(lines)
    )


def document(width: int, height: int, title: str, parts: Sequence[str], *, marker: str = "") -> str:
    """The whole SVG element: as wide as it is drawn, narrower where there is less room; the title is its alt text."""
    label = said(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="max-width:100%;height:auto;background:#fff" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{INK}"><title>{label}</title>'
        f"{marker}{''.join(parts)}</svg>"
    )


def fitting() -> str:
    """To be shown once as HTML: JupyterLab would show an SVG output in its own size, however narrow the window."""
    return "<style>.jp-RenderedSVG img { max-width: 100%; height: auto }</style>"


def table_html(rows: Sequence[Row], caption: str = "") -> str:
    """An HTML table for reading; the first column heads its row."""
    head = "".join(
        f'<th scope="col" style="text-align:left;padding-right:8px">{said(column)}</th>' for column in rows[0]
    )
    body = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in rows)
    return (
        '<table style="border-collapse:collapse;font-size:13px;line-height:1.4">'
        + (f'<caption style="text-align:left;font-weight:bold">{said(caption)}</caption>' if caption else "")
        + f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cells(row: Row) -> Iterator[str]:
    style = "text-align:left;vertical-align:top;white-space:pre-wrap;padding:2px 8px 2px 0;overflow-wrap:"
    for place, cell in enumerate(row.values()):
        text = "" if cell is None else f"{cell:.3g}" if isinstance(cell, float) else str(cell)
        # A head keeps its words whole, so that its column stays readable beside long texts.
        start = '<td style="' + style + "anywhere" if place else '<th scope="row" style="' + style + "break-word"
        yield f'{start}">{said(text)}</{"td" if place else "th"}>'


def _lines(text: str, columns: int) -> Iterator[str]:
    line, room = "", columns
    for word in text.split(" "):
        if line and _width(word) + 1 <= room:
            line, room = f"{line} {word}", room - 1 - _width(word)
            continue
        if line:
            yield line
        line, room = "", columns
        for character in word:
            if _width(character) > room:
                yield line
                line, room = "", columns
            line, room = line + character, room - _width(character)
    yield line


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
