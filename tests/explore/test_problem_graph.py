"""An item drawn: every quantity and every dependency, and what is asked for."""

import re
from xml.etree import ElementTree

import pytest

from masrepro.bench import Item, benchmark
from masrepro.bench.masbench.axes import AXES
from masrepro.explore import item_svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", [*(f"masbench/{axis}/4" for axis in AXES), "masbench/depth/12/abstract"])
def test_every_quantity_and_dependency_is_drawn(name):
    (item,) = benchmark(name, n=1)
    drawing = ElementTree.fromstring(item_svg(item))
    problems = [task for task in item.problems if hasattr(task, "quantities")]
    boxes = sum(len(problem.quantities) for problem in problems) + len(item.problems) - len(problems)
    arrows = sum(len(q.parents) + (q.form == "carried") for problem in problems for q in problem.quantities)
    assert len(drawing.findall(f"{SVG}rect")) == boxes
    assert len(drawing.findall(f"{SVG}path")) == arrows
    said = {text.text for text in drawing.iter(f"{SVG}text")}
    assert {q.name for problem in problems for q in problem.quantities} <= said
    asked = [box for box in drawing.findall(f"{SVG}rect") if box.get("stroke-width") == "3"]
    assert len(asked) == len(item.problems)


def test_boxes_lie_within_the_drawing_and_not_on_one_another():
    (item,) = benchmark("masbench/breadth/12", n=1)
    drawing = ElementTree.fromstring(item_svg(item))
    corners = [(int(box.get("x")), int(box.get("y"))) for box in drawing.findall(f"{SVG}rect")]
    assert len(set(corners)) == len(corners)
    width, height = map(int, re.findall(r"\d+", drawing.get("viewBox"))[2:])
    assert all(x + 172 <= width and y + 40 <= height for x, y in corners)


def test_an_item_without_a_graph_is_not_drawn():
    with pytest.raises(ValueError, match="no dependency graph"):
        item_svg(Item("x", "How many?", "1", "exact_int"))
