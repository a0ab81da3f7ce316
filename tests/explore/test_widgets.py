"""Widgets without a browser: what a choice, a step and a keystroke change in what is shown."""

from __future__ import annotations

import ipywidgets
import pytest

from masrepro import Agent, Flow, Orchestration, run_sync
from masrepro.bench import Item
from masrepro.explore.case import case_of_run, case_svg
from masrepro.explore.drawing import CHOSEN
from masrepro.explore.training import Point, Written
from masrepro.explore.verdict import verdict_of
from masrepro.explore.widgets import CaseView, editor, explorer, is_live, step_slider
from masrepro.lab.sample import Sample
from masrepro.models import FREE, Completion, Usage

PLAN = Orchestration((Agent("a", "", "one"), Agent("b", "", "two")), (Flow("a", "b"),))
ALONE = Orchestration((Agent("solo", "", ""),))
ITEM = Item("x", "How many?", "7", "exact_int")


class Model:
    name, revision, context_tokens, price = "m", "1", 100, FREE

    async def complete(self, messages, sampling):
        return Completion("Answer: \\boxed{7}", "stop", Usage(1, 1, 1))


def ran(plan):
    return run_sync(plan, ITEM.question, models=Model())


def shown(widget):
    """All HTML that a widget and those within it show."""
    if getattr(widget, "layout", None) is not None and widget.layout.display == "none":
        return ""
    own = widget.value if isinstance(widget, ipywidgets.HTML) else ""
    return own + "".join(map(shown, getattr(widget, "children", ())))


def within(widget, kind):
    """All widgets of a kind, in order."""
    found = [widget] if isinstance(widget, kind) else []
    return found + [one for child in getattr(widget, "children", ()) for one in within(child, kind)]


@pytest.fixture
def outputs(tmp_path):
    folder = tmp_path / "01_five_axes" / "20260101T000000Z-abc"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    samples = [
        Sample(
            system=name,
            benchmark=benchmark,
            item_id="x",
            repeat=0,
            outcome="correct",
            answer="7",
            extracted="7",
            gold="7",
            n_agents=len(plan.agents),
            orchestration=plan.to("calls"),
            trace=ran(plan).trace,
        )
        for benchmark in ("masbench/depth/2", "gsm8k")
        for name, plan in (("single_agent", ALONE), ("HIGH/0", PLAN))
    ]
    (folder / "samples.jsonl").write_text("".join(f"{sample.to_json()}\n" for sample in samples))
    return tmp_path


def test_widgets_are_for_a_person_not_for_the_runner():
    assert is_live(True, {})
    assert not is_live(False, {})
    assert not is_live(True, {"MASREPRO_RUN_DIR": "somewhere"})


def card_in(view):
    (card,) = [html.value for html in within(view.widget, ipywidgets.HTML) if ">agent</th>" in html.value]
    return card


def test_an_agents_button_shows_its_card_and_marks_it_in_the_graph():
    view = CaseView()
    view.show(case_of_run("mine", PLAN, ran(PLAN), ITEM))
    (buttons,) = within(view.widget, ipywidgets.ToggleButtons)
    assert (buttons.options, buttons.value) == (("a", "b"), "b")
    assert ">two</td>" in card_in(view)
    before = shown(view.widget)
    buttons.value = "a"
    assert ">one</td>" in card_in(view)
    assert case_svg(case_of_run("mine", PLAN, ran(PLAN), ITEM), "a").count(CHOSEN) == 1
    assert shown(view.widget).count(CHOSEN) == before.count(CHOSEN) == 1


def test_a_choice_shows_another_sample_and_a_rival_beside_it(outputs):
    widget = explorer(outputs)
    choosers = {chooser.description: chooser for chooser in within(widget, ipywidgets.Dropdown)}
    assert choosers["benchmark"].options == ("masbench/depth", "gsm8k")
    assert "solo" in shown(widget)
    choosers["benchmark"].value = "gsm8k"
    assert choosers["axis value"].options == ("whole",)
    choosers["degree of MAS"].value = "HIGH"
    assert choosers["system"].value == "HIGH/0"
    assert "→ b" in shown(widget)
    assert "Side by side" not in shown(widget)
    choosers["beside it"].value = choosers["beside it"].options[1][1]
    assert "Side by side" in shown(widget)


def test_nothing_to_explore_says_what_to_do(tmp_path):
    with pytest.raises(ValueError, match="run a notebook"):
        explorer(tmp_path)


def test_the_slider_shows_the_system_of_its_step():
    written = [
        Written(
            Point(step, None, None),
            plan.to("calls"),
            verdict_of(plan.to("calls")),
            case_of_run("s", plan, ran(plan), ITEM),
        )
        for step, plan in ((0, ALONE), (5, PLAN))
    ]
    widget = step_slider(written)
    assert "solo" in shown(widget)
    (slider,) = within(widget, ipywidgets.SelectionSlider)
    slider.value = 1
    assert "solo" not in shown(widget)
    assert "→ b" in shown(widget)


def test_the_editor_says_what_is_wrong_while_typing_and_runs_what_is_right():
    widget = editor(ALONE.to("calls"), ITEM, ran, case_of_run("begun", ALONE, ran(ALONE), ITEM))
    (text,), (button,) = within(widget, ipywidgets.Textarea), within(widget, ipywidgets.Button)
    assert "valid" in shown(widget)
    text.value = ALONE.to("calls") + '\ncreate_flow(source="solo", target="nobody")'
    assert "rule broken" in shown(widget)
    assert "nobody" in shown(widget)
    assert button.disabled
    text.value = PLAN.to("calls")
    assert not button.disabled
    button.click()
    assert "this text" in shown(widget)
    assert "= 7" in shown(widget)
