"""Figures as data: panels of series with intervals. Drawn as SVG, the reference form, and as plotly for a closer
look.

A notebook output holds both: JupyterLab shows the plotly form, a page made by nbconvert or a notebook viewer the
SVG, and neither needs a network or a browser to be drawn.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import count
from textwrap import fill
from typing import TYPE_CHECKING, Any

from masrepro.report.statistics import Estimate

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from matplotlib.axes import Axes

# Okabe and Ito's palette, without yellow, which is too faint on white; then two of Tol's muted one.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#882255", "#999933")
N_STYLES = len(COLOURS)
"""Series of one figure that can be told apart."""
_MOST_COLUMNS = 3
_COLUMN_CHARS, _HANDLE_CHARS = 50, 8
"""Characters of a title that fit a panel's width, and those whose room a legend's handle takes."""
_CHAR_WIDTH, _ROW_HEIGHT = 0.018, 0.044
"""What a name beside a point takes of a panel's width, a character, and of its height."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "p")
_PLOTLY_MARKERS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star", "pentagon")


@dataclass(frozen=True, slots=True)
class Series:
    """A named line: ``y`` at ``x``, with interval ends where known.

    ``style`` picks colour and marker, so that one system looks the same in every panel. ``published`` series are
    drawn with open markers and a dashed line. Points that are no curve are not ``joined``; a curve of
    many points is not ``marked``. ``names``, where given, stand beside the points.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    style: int = 0
    published: bool = False
    joined: bool = True
    marked: bool = True
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, label: str, points: Sequence[tuple[float, Estimate]], *, style: int = 0, joined: bool = True) -> Series:
        """Estimates with their intervals, each at its x."""
        return cls(
            label=label,
            x=tuple(x for x, _ in points),
            y=tuple(estimate.value for _, estimate in points),
            low=tuple(estimate.low for _, estimate in points),
            high=tuple(estimate.high for _, estimate in points),
            style=style,
            joined=joined,
        )


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes; ``log_x`` for an x that spans orders of magnitude."""

    title: str
    x_label: str
    series: tuple[Series, ...]
    log_x: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels over one y axis.

    Parameters
    ----------
    title : str
        The figure's message.
    alt : str
        What it shows, in words, for those who cannot see it.
    note : str
        A line under the figure, such as a warning that numbers are unfit for comparison.
    y_range : (float, float)
        What the y axis spans.
    columns : int
        Panels to a row; 0: as many as there are, up to three.
    """

    title: str
    y_label: str
    panels: tuple[Panel, ...]
    alt: str
    note: str = ""
    y_range: tuple[float, float] = (-0.03, 1.05)
    columns: int = 0

    def svg(self) -> str:
        """The figure as SVG text, the same bytes for the same data."""
        import matplotlib
        from matplotlib.figure import Figure as Canvas

        with matplotlib.rc_context({"svg.hashsalt": "masrepro", "svg.fonttype": "none", "font.size": 10}):
            rows, columns = self._grid
            canvas = Canvas(figsize=(4.6 * columns + 0.6, 3.6 * rows + 0.8), layout="constrained")
            axes = list(canvas.subplots(rows, columns, sharey=True, squeeze=False).flat)
            for place, (axis, panel) in enumerate(zip(axes, self.panels, strict=False)):
                _draw(axis, panel, self.y_range)
                if place % columns == 0:
                    axis.set_ylabel(self.y_label)
            for axis in axes[len(self.panels) :]:
                axis.set_axis_off()
            handles, labels = _legend(axes)
            most = max(1, _COLUMN_CHARS * columns // (max(map(len, labels), default=0) + _HANDLE_CHARS))
            canvas.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4, most), frameon=False)
            heading = [fill(line, _COLUMN_CHARS * columns) for line in (self.title, self.note) if line]
            canvas.suptitle("\n".join(heading), fontsize=11, fontweight="bold")
            text = io.StringIO()
            canvas.savefig(text, format="svg", metadata={"Date": None})
        return _labelled(text.getvalue(), self.title, self.alt)

    def narrow(self) -> str:
        """The same with one panel a row, for a narrow screen."""
        return replace(self, columns=1).svg()

    def plotly(self) -> go.Figure:
        """The same as an interactive plotly figure."""
        from plotly.subplots import make_subplots

        rows, columns = self._grid
        figure = make_subplots(rows, columns, shared_yaxes=True, subplot_titles=[p.title for p in self.panels])
        seen: set[str] = set()
        for place, panel in enumerate(self.panels):
            at = {"row": place // columns + 1, "col": place % columns + 1}
            for series in panel.series:
                figure.add_trace(_trace(series, show_legend=series.label not in seen), **at)
                seen.add(series.label)
            kind = "log" if panel.log_x else "linear"
            figure.update_xaxes(title_text=panel.x_label, tickvals=_ticks(panel) or None, type=kind, **at)
        figure.update_yaxes(range=list(self.y_range))
        figure.update_yaxes(title_text=self.y_label, col=1)
        title = self.title + (f"<br>{self.note}" if self.note else "")
        figure.update_layout(
            title=title, template="simple_white", legend={"orientation": "h", "y": -0.2}, height=100 + 380 * rows
        )
        return figure

    @property
    def _grid(self) -> tuple[int, int]:
        """Rows and columns of panels."""
        columns = self.columns or min(len(self.panels), _MOST_COLUMNS)
        return -(-len(self.panels) // columns), columns

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {
            "application/vnd.plotly.v1+json": self.plotly().to_plotly_json(),
            "image/svg+xml": self.svg(),
            "text/plain": self.alt,
        }


def _draw(axis: Axes, panel: Panel, y_range: tuple[float, float]) -> None:
    for series in panel.series:
        colour, marker = COLOURS[series.style], _MARKERS[series.style]
        axis.errorbar(
            series.x,
            series.y,
            yerr=_arms(series),
            label=series.label,
            color=colour,
            marker=marker if series.marked else "",
            markerfacecolor="white" if series.published else colour,
            linestyle=_line(series),
            linewidth=1.0 if series.published else 1.8,
            capsize=3,
        )
    _name(axis, panel, y_range)
    if panel.log_x:
        _plain_log(axis)
    axis.set_title(panel.title)
    axis.set_xlabel(panel.x_label)
    if _ticks(panel):
        axis.set_xticks(_ticks(panel))
    elif not panel.log_x and all(float(x).is_integer() for series in panel.series for x in series.x):
        axis.locator_params(axis="x", integer=True)
    axis.set_ylim(*y_range)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="y", alpha=0.25)


def _name(axis: Axes, panel: Panel, y_range: tuple[float, float]) -> None:
    """Write names beside their points, to the left of those at the right end, each as low as others leave room."""
    log = math.log if panel.log_x else float
    xs = [log(x) for series in panel.series for x in series.x]
    span = max(xs, default=0.0) - min(xs, default=0.0) or 1.0
    taken: list[tuple[float, float, float]] = []
    for series in panel.series:
        for name, x, y in zip(series.names, series.x, series.y, strict=False):
            wide = _CHAR_WIDTH * len(name)
            at, up = (log(x) - min(xs)) / span, (y - y_range[0]) / (y_range[1] - y_range[0])
            left = at - wide if at + wide > 1 else at
            row = next(n for n in count() if _is_free(left, left + wide, up + n * _ROW_HEIGHT, taken))
            taken.append((left, left + wide, up + row * _ROW_HEIGHT))
            axis.annotate(
                name,
                (x, y),
                xytext=(5 if left == at else -5, 4 + 9 * row),
                textcoords="offset points",
                ha="left" if left == at else "right",
                fontsize=8,
                color=COLOURS[series.style],
            )


def _is_free(left: float, right: float, up: float, taken: Sequence[tuple[float, float, float]]) -> bool:
    return not any(left < end and start < right and abs(up - at) < _ROW_HEIGHT for start, end, at in taken)


def _plain_log(axis: Axes) -> None:
    """A logarithmic x axis with plain numbers at 1, 2 and 5."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter(NullFormatter())


def _line(series: Series) -> str:
    if not series.joined:
        return "none"
    return "--" if series.published else "-"


def _mode(series: Series) -> str:
    """How plotly calls what is drawn."""
    return "+".join(["lines"] * series.joined + ["markers"] * series.marked + ["text"] * bool(series.names))


def _arms(series: Series) -> list[list[float]] | None:
    """Lengths of the error bars below and above."""
    if not series.low:
        return None
    below = [y - low for y, low in zip(series.y, series.low, strict=True)]
    return [below, [high - y for y, high in zip(series.y, series.high, strict=True)]]


def _legend(axes: Sequence[Axes]) -> tuple[list[Any], list[str]]:
    """Every label once, whichever panel it is in."""
    found = [axis.get_legend_handles_labels() for axis in axes]
    entries = {label: handle for handles, labels in found for handle, label in zip(handles, labels, strict=True)}
    return list(entries.values()), list(entries)


def _ticks(panel: Panel) -> list[float]:
    """Where the curves have marks; the library's own choice where there are none."""
    if panel.log_x:
        return []
    return sorted({x for series in panel.series if series.joined and series.marked for x in series.x})


def _trace(series: Series, *, show_legend: bool) -> go.Scatter:
    import plotly.graph_objects as go

    colour, marker = COLOURS[series.style], _PLOTLY_MARKERS[series.style]
    arms = _arms(series)
    return go.Scatter(
        x=list(series.x),
        y=list(series.y),
        name=series.label,
        legendgroup=series.label,
        showlegend=show_legend,
        mode=_mode(series),
        text=list(series.names) or None,
        textposition="top right",
        line={"color": colour, "dash": "dash" if series.published else "solid"},
        marker={"symbol": f"{marker}-open" if series.published else marker, "size": 9},
        error_y={"type": "data", "symmetric": False, "arrayminus": arms[0], "array": arms[1]} if arms else None,
    )


def _labelled(svg: str, title: str, alt: str) -> str:
    """The SVG with a title and a description, which screen readers speak; it shrinks to the width that there is."""
    head = f"<title>{escape(title)}</title><desc>{escape(alt)}</desc>"
    start = svg.index(">", svg.index("<svg")) + 1
    return svg[: start - 1] + ' role="img" style="max-width: 100%; height: auto">' + head + svg[start:]
