"""The static picture of an orchestration: every agent and flow is there, text is data, the sink is marked."""

import xml.etree.ElementTree as ElementTree

import pytest

from masrepro import Agent, Flow, Orchestration
from masrepro.explore import plan_svg
from masrepro.explore.act import Act

SVG = "{http://www.w3.org/2000/svg}"
STAR = Orchestration(
    agents=(
        Agent("a1", "solver", 'Find <x> & "y"'),
        Agent("a2", "solver", ""),
        Agent("sink", "gatherer", "Give the final answers.", workflow="cot_sc"),
    ),
    flows=(Flow("a1", "sink", "the <first>"), Flow("a2", "sink", "second")),
)
WIDE = Orchestration(
    agents=(*(Agent(f"w{k}", "", "Solve problem " + "1 " * 40) for k in range(5)), Agent("sink", "", "Gather.")),
    flows=tuple(Flow(f"w{k}", "sink", f"Problem {k}") for k in range(5)),
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
    assert "sink · cot_sc · sink" in " ".join(said)
    assert "→ sink: the <first>" in said
    paths = [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("marker-end")]
    assert [path.find(f"{SVG}title").text for path in paths] == ["the <first>", "second"]


@pytest.mark.parametrize("plan", [STAR, WIDE])
def test_boxes_do_not_overlap(plan):
    places = boxes(plan_svg(plan))
    assert len(places) == len(plan.agents)
    for k, (x1, y1, w1, h1) in enumerate(places):
        for x2, y2, w2, h2 in places[k + 1 :]:
            assert x1 + w1 <= x2 or x2 + w2 <= x1 or y1 + h1 <= y2 or y2 + h2 <= y1


def test_arrows_past_other_rows_keep_clear_of_the_boxes():
    svg = plan_svg(WIDE)
    right = max(x + width for x, _, width, _ in boxes(svg))
    far = [path.get("d") for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if "Q" in path.get("d")]
    assert len(far) == 4
    for path in far:
        xs = [float(corner.split(",")[0]) for corner in path.replace("Q", "L").split("L")[1:]]
        assert max(xs) > right


def test_labels_are_wrapped_and_lie_within_their_boxes():
    root = ElementTree.fromstring(plan_svg(WIDE))
    for agent in root.iterfind(f".//{SVG}g[@data-agent]"):
        box = agent.find(f"{SVG}rect")
        x, y = float(box.get("x")), float(box.get("y"))
        for text in agent.iter(f"{SVG}text"):
            assert float(text.get("x")) + 7 * len(text.text) <= x + float(box.get("width"))
            assert float(text.get("y")) <= y + float(box.get("height")) - 4


def test_answers_after_a_run_are_shown_and_a_missing_one_is_named():
    said = texts(plan_svg(STAR, {"a1": "\\boxed{4}", "a2": None}))
    assert "= \\boxed{4}" in said
    assert "= no answer" in said


def test_the_state_after_a_run_is_said_in_words_and_by_the_border():
    a1, a2, sink = STAR.agents
    acts = {
        "a1": Act(a1, "finished", answer="4"),
        "a2": Act(a2, "failed", error="Unavailable: 503"),
        "sink": Act(sink, "not run"),
    }
    svg = plan_svg(STAR, acts=acts)
    assert "failed: Unavailable: 503" in " ".join(texts(svg))
    assert {"= 4", "not run"} <= set(texts(svg))
    dashes = [box.get("stroke-dasharray") for box in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    assert dashes[0] is None
    assert dashes[1] != dashes[2]


def test_an_agent_can_be_found_and_marked():
    root = ElementTree.fromstring(plan_svg(STAR, chosen="a2"))
    agents = root.iterfind(f".//{SVG}g[@data-agent]")
    fills = {agent.get("data-agent"): agent.find(f"{SVG}rect").get("fill") for agent in agents}
    assert fills["a1"] == fills["sink"] == "#fff"
    assert fills["a2"] != "#fff"


def test_a_direct_answer_is_one_box():
    svg = plan_svg(Orchestration(answer="42"))
    assert len(boxes(svg)) == 1
    assert "42" in texts(svg)


def test_a_long_chain_is_no_wider_than_a_short_one():
    agents = tuple(Agent(f"a{k}", "solver", "g") for k in range(12))
    flows = tuple(Flow(f"a{k}", f"a{k + 1}", "p") for k in range(11))
    root = ElementTree.fromstring(plan_svg(Orchestration(agents, flows)))
    assert float(root.get("width")) <= 400
    assert len(boxes(plan_svg(Orchestration(agents, flows)))) == 12
