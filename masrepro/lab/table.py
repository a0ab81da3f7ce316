"""A table as text: CSV, Markdown and LaTeX, from rows of plain values. Not here: statistics and verdicts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence

Cell = str | int | float | None
Row = Mapping[str, Cell]

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def csv_text(rows: Sequence[Row]) -> str:
    """Comma-separated, full precision, a header line, lines ended by a single newline; None is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_columns(rows))
    writer.writerows(["" if cell is None else cell for cell in row.values()] for row in rows)
    return text.getvalue()


def markdown_text(rows: Sequence[Row]) -> str:
    """A pipe table; numbers are right-aligned and shown to three digits."""
    columns = _columns(rows)
    rule = ["---:" if _is_numeric(rows, column) else "---" for column in columns]
    lines = [
        columns,
        rule,
        *([cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in _shown(rows)),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def latex_text(rows: Sequence[Row]) -> str:
    """A ``tabular`` in the style of ``booktabs``; special characters are escaped."""
    columns = _columns(rows)
    align = "".join("r" if _is_numeric(rows, column) else "l" for column in columns)
    head, *body = (" & ".join(_latex(cell) for cell in line) + r" \\" for line in [columns, *_shown(rows)])
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _columns(rows: Sequence[Row]) -> list[str]:
    if not rows:
        raise ValueError("a table needs at least one row")
    columns = list(rows[0])
    for number, row in enumerate(rows, start=1):
        if list(row) != columns:
            raise ValueError(f"row {number} has the columns {list(row)}, the first has {columns}")
    return columns


def _shown(rows: Sequence[Row]) -> Iterator[list[str]]:
    for row in rows:
        yield [_text(cell) for cell in row.values()]


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def _is_numeric(rows: Sequence[Row], column: str) -> bool:
    return all(isinstance(row[column], int | float | None) for row in rows)


def _latex(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda found: _LATEX[found[0]], text)
