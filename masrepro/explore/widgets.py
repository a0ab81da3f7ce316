"""The views as widgets for a live kernel: choosers, buttons and sliders round the static forms, and no more.

They need ipywidgets alone, which JupyterLab serves itself: no CDN, no extension of our own. A click on an agent in a
graph presses that agent's button.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from masrepro.bench import Item
from masrepro.explore.act import acts, card_html
from masrepro.explore.case import Case, case_of, case_of_run, case_svg, comparison_rows
from masrepro.explore.drawing import said, table_html
from masrepro.explore.graph import plan_svg
from masrepro.explore.shelf import FACETS, Slip, choose, fetch, rivals, shelves, slips, telling
from masrepro.explore.timeline import timeline_svg
from masrepro.explore.training import Written
from masrepro.explore.tree import tree_svg, way_rows
from masrepro.explore.verdict import verdict_html, verdict_of
from masrepro.lab.notebook import RUN_DIR
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime import PlanNotRunnable, RunResult
from masrepro.train.tree import Tree

_NOBODY = ("(nobody)", "")
_PRESS = (
    "const agent = event.target.closest('[data-agent]'); if (agent) Array.from(this.closest('.masrepro-case')"
    ".querySelectorAll('.masrepro-agents button')).find(b => b.textContent.trim() === agent.dataset.agent).click()"
)


def is_live(interactive: bool, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether widgets are to be shown: the params ask for them, and it is not the runner that executes the notebook."""
    return interactive and RUN_DIR not in environ


class CaseView:
    """A case: its graph beside an agent's card, its timeline beside its result. ``widget`` is what is displayed."""

    def __init__(self) -> None:
        self._case: Case | None = None
        self._facts, self._graph, self._card, self._timeline = (_html() for _ in range(4))
        self._agents = widgets.ToggleButtons(options=[], style={"button_width": "auto"}, layout=_layout())
        self._agents.add_class("masrepro-agents")
        self._agents.observe(self._draw, "value")
        column = widgets.VBox([self._agents, self._card], layout=_layout(flex="1 1 300px"))
        for half in (self._graph, self._timeline, self._facts):
            half.layout.flex = "1 1 300px"
        rows = ([self._graph, column], [self._timeline, self._facts])
        self.widget = widgets.VBox([widgets.HBox(row, layout=_wrapping()) for row in rows], layout=_layout())
        self.widget.add_class("masrepro-case")

    def show(self, case: Case) -> None:
        """Draw this case; the sink's card first."""
        self._case = None  # until the buttons are those of its agents
        self._agents.options = [agent.id for agent in case.plan.agents] if case.plan else []
        if case.plan and case.plan.sink:
            self._agents.value = case.plan.sink
        self._case = case
        self._facts.value = table_html(comparison_rows([case]))
        self._timeline.value = timeline_svg(case.trace, case.plan)
        self._draw()

    def _draw(self, _: Any = None) -> None:
        if self._case is None:
            return
        chosen = self._agents.value
        self._graph.value = f'<div onclick="{_PRESS}">{case_svg(self._case, chosen)}</div>'
        plan = self._case.plan
        self._card.value = card_html(acts(plan, self._case.trace)[chosen]) if plan and chosen else ""


def explorer(outputs: Path, begin: Path | None = None) -> widgets.Widget:
    """Choose a run, a benchmark, an axis value, a degree of MAS, a system and a sample; see it, and another beside it.

    Parameters
    ----------
    outputs : Path
        Holds the run folders.
    begin : Path, optional
        The run folder to begin with; the newest with samples by default.

    Raises
    ------
    ValueError
        No run has any samples.
    """
    return _Explorer(outputs, begin).widget


class _Explorer:
    def __init__(self, outputs: Path, begin: Path | None) -> None:
        folders = shelves(outputs)
        if not folders:
            raise ValueError(f"no run below {outputs} has samples; run a notebook that evaluates systems first")
        names = [(f"{folder.name}, {_when(folder.run_id)}", folder.path) for folder in folders]
        paths = [path for _, path in names]
        self._slips: list[Slip] = []
        self._is_drawing = False
        self._run = _chooser("run", names, begin if begin in paths else paths[0])
        self._facets = {name: _chooser(name, [], None) for name in FACETS}
        self._beside = _chooser("beside it", [_NOBODY], _NOBODY[1])
        self._view, self._rival = CaseView(), CaseView()
        self._comparison = _html()
        self._rival.widget.layout.display = "none"
        for chooser in (self._run, *self._facets.values(), self._beside):
            chooser.observe(self._changed, "value")
        self.widget = widgets.VBox(
            [
                widgets.HBox([self._run, *self._facets.values(), self._beside], layout=_wrapping()),
                self._view.widget,
                self._comparison,
                self._rival.widget,
            ],
            layout=_layout(),
        )
        self._open()

    def _changed(self, change: Any) -> None:
        if self._is_drawing:
            return
        if change.owner is self._run:
            self._open()
        elif change.owner is self._beside:
            self._set_beside()
        else:
            self._choose({name: chooser.value for name, chooser in self._facets.items()})

    def _open(self) -> None:
        self._slips = slips(self._run.value)
        begin = telling(self._slips)
        self._choose({name: of(begin) for name, of in FACETS.items()})

    def _choose(self, picks: Mapping[str, str]) -> None:
        choice = choose(self._slips, picks)
        self._is_drawing = True
        for name, chooser in self._facets.items():
            chooser.options = choice.options[name]
            chooser.value = choice.picks[name]
        others = rivals(self._slips, choice.slip)
        self._beside.options = [_NOBODY, *((f"{slip.system}: {slip.outcome}", slip) for slip in others)]
        self._beside.value = _NOBODY[1]
        self._is_drawing = False
        self._case = case_of(fetch(self._run.value, choice.slip))
        self._view.show(self._case)
        self._set_beside()

    def _set_beside(self) -> None:
        rival = self._beside.value
        self._rival.widget.layout.display = "" if rival else "none"
        self._comparison.value = ""
        if rival:
            case = case_of(fetch(self._run.value, rival))
            self._comparison.value = table_html(comparison_rows([self._case, case]), "Side by side, on the same item")
            self._rival.show(case)


def step_slider(written: Sequence[Written]) -> widgets.Widget:
    """A slider through the steps of a training, with the system that was written at each (`write_at`)."""
    slider = widgets.SelectionSlider(
        options=[(f"{one.point.step}", place) for place, one in enumerate(written)],
        description="step",
        layout=_layout(width="100%"),
    )
    view, text = CaseView(), _html()

    def draw(_: Any = None) -> None:
        one = written[slider.value]
        text.value = verdict_html(one.verdict) + _text_html(one.text)
        view.show(one.case)

    slider.observe(draw, "value")
    draw()
    return widgets.VBox([slider, view.widget, text], layout=_layout())


def tree_chooser(trees: Sequence[Tree]) -> widgets.Widget:
    """Choose a decision tree; see it, and how each of its ways ended."""
    names = [(f"{tree.benchmark}, {tree.item_id}, fault {tree.fault}", place) for place, tree in enumerate(trees)]
    chooser, picture, ways = _chooser("tree", names, 0), _html(), _html()

    def draw(_: Any = None) -> None:
        tree = trees[chooser.value]
        picture.value, ways.value = tree_svg(tree), table_html(way_rows(tree))

    chooser.observe(draw, "value")
    draw()
    return widgets.VBox([chooser, picture, ways], layout=_layout())


def editor(
    text: str,
    item: Item,
    run: Callable[[Orchestration], RunResult],
    beside: Case,
    *,
    dom: DoM = DoM.HIGH,
) -> widgets.Widget:
    """Change an orchestration, see the parser's verdict while typing, run it, and compare.

    Parameters
    ----------
    text : str
        To begin with, as calls.
    item : Item
        What a system is run on, and scored by.
    run : callable
        Runs a system on the item's question.
    beside : Case
        What a run is compared with.
    dom : DoM
        What the parser allows.
    """
    box = widgets.Textarea(value=text, continuous_update=True, rows=12, layout=_layout(width="auto"))
    button = widgets.Button(description="Run it", button_style="primary", tooltip="Run this system on the item")
    verdict, preview, comparison, view = _html(), _html(), _html(), CaseView()
    verdict.layout.flex = preview.layout.flex = "1 1 300px"
    view.widget.layout.display = "none"

    def read(_: Any = None) -> None:
        found = verdict_of(box.value, dom=dom)
        verdict.value = verdict_html(found)
        button.disabled = found.plan is None
        preview.value = "" if found.plan is None else plan_svg(found.plan)

    def execute(_: Any) -> None:
        plan = verdict_of(box.value, dom=dom).plan
        assert plan is not None, "the button is off while there is no system"
        button.disabled, button.description = True, "Running ..."
        try:
            case = case_of_run("this text", plan, run(plan), item)
        except PlanNotRunnable as refused:
            comparison.value = f'<div role="alert">{said(str(refused))}</div>'
        else:
            comparison.value = table_html(comparison_rows([beside, case]), "Beside what it was")
            view.widget.layout.display = ""
            view.show(case)
        finally:
            button.disabled, button.description = False, "Run it"

    box.observe(read, "value")
    button.on_click(execute)
    read()
    reading = widgets.HBox([verdict, preview], layout=_wrapping())
    whole = widgets.VBox([box, reading, button, comparison, view.widget], layout=_layout())
    whole.add_class("masrepro-editor")
    return whole


def _when(run_id: str) -> str:
    """The time in a run's id, for people."""
    return re.sub(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*", r"\1-\2-\3 \4:\5:\6", run_id)


def _text_html(text: str) -> str:
    return f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{said(text)}</pre>'


def _chooser(name: str, options: Sequence[Any], value: Any) -> widgets.Dropdown:
    return widgets.Dropdown(
        options=options,
        value=value,
        description=name,
        style={"description_width": "95px"},
        layout=_layout(flex="1 1 300px"),
    )


def _html() -> widgets.HTML:
    return widgets.HTML(layout=_layout())


def _layout(**more: str) -> widgets.Layout:
    return widgets.Layout(min_width="0", max_width="100%", **more)


def _wrapping() -> widgets.Layout:
    return _layout(flex_flow="row wrap")
