"""The static picture of an orchestration: every agent and flow is there, text is data, the sink is marked."""

import xml.etree.ElementTree as ElementTree

from masrepro import Agent, Flow, Orchestration
from masrepro.explore import plan_svg

SVG = "{http://www.w3.org/2000/svg}"
STAR = Orchestration(
    agents=(
        Agent("a1", "solver", 'Find <x> & "y"'),
        Agent("a2", "solver", ""),
        Agent("sink", "gatherer", "Give the final answers.", workflow="cot_sc"),
    ),
    flows=(Flow("a1", "sink", "the <first>"), Flow("a2", "sink", "second")),
)


def texts(svg):
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def boxes(svg):
    return [
        (float(box.get("x")), float(box.get("y")), float(box.get("width")), float(box.get("height")))
        for box in ElementTree.fromstring(svg).iter(f"{SVG}rect")
    ]


def test_every_agent_has_a_box_with_its_goal_and_every_flow_an_arrow():
    svg = plan_svg(STAR)
    said = texts(svg)
    assert 'Find <x> & "y"' in said
    assert "(the question itself)" in said
    assert "sink · cot_sc · sink" in said
    paths = [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("marker-end")]
    assert [path.find(f"{SVG}title").text for path in paths] == ["the <first>", "second"]


def test_boxes_do_not_overlap():
    places = boxes(plan_svg(STAR))
    assert len(places) == 3
    for k, (x1, y1, w, h) in enumerate(places):
        for x2, y2, _, _ in places[k + 1 :]:
            assert x1 + w <= x2 or x2 + w <= x1 or y1 + h <= y2 or y2 + h <= y1


def test_answers_after_a_run_are_shown_and_a_missing_one_is_named():
    said = texts(plan_svg(STAR, {"a1": "\\boxed{4}", "a2": None}))
    assert "= \\boxed{4}" in said
    assert "= no answer" in said


def test_a_direct_answer_is_one_box():
    svg = plan_svg(Orchestration(answer="42"))
    assert len(boxes(svg)) == 1
    assert "42" in texts(svg)


def test_a_long_chain_is_scaled_to_fit_a_notebook():
    agents = tuple(Agent(f"a{k}", "solver", "g") for k in range(12))
    flows = tuple(Flow(f"a{k}", f"a{k + 1}", "p") for k in range(11))
    root = ElementTree.fromstring(plan_svg(Orchestration(agents, flows)))
    assert float(root.get("width")) <= 960
    assert len(boxes(plan_svg(Orchestration(agents, flows)))) == 12
