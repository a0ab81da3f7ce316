"""Whether trainings settle on one size of systems, and what the paper's settled on."""

from test_orchestrator_training import step

from masrepro.report.structure_claims import structure_claim

HIGH = ("HIGH",)
CELLS = ("masbench/depth/5", "masbench/depth/6")
SPREAD = [step(k, 0.1, {"1": 3, "3": 4, "8": 3}) for k in range(1, 6)]
SETTLED = [*SPREAD, *(step(k, 0.3, {"1": 1, "3": 9}) for k in range(6, 11))]


def test_a_majority_of_one_size_in_every_training_is_a_structure():
    claim = structure_claim({"trained": SETTLED, "seed-2": SETTLED}, CELLS, HIGH)
    assert claim.verdict == "consistent"
    assert claim.published == "depth: 3 agents, 0.93"
    assert "trained 3 agents (0.40) to 3 agents (0.90); seed-2" in claim.ours


def test_a_verdict_is_over_trainings():
    assert structure_claim({"trained": SETTLED, "seed-2": SPREAD}, CELLS, HIGH).verdict.startswith("not shown: in some")
    assert structure_claim({"trained": SPREAD}, CELLS, HIGH).verdict == "differs"
    assert (
        structure_claim({"trained": SETTLED}, CELLS, HIGH, comparable=False).verdict == "not comparable: too few items"
    )


def test_nothing_follows_from_one_size_where_one_agent_is_all_there_may_be():
    claim = structure_claim({"trained": SETTLED}, CELLS, ("LOW", "HIGH"))
    assert claim.verdict == "not comparable: LOW allows one agent"


def test_what_is_not_there_is_said():
    assert structure_claim({"trained": []}, CELLS, HIGH).verdict.startswith("incomplete: the training's steps")
    unread = [step(1, 0.0, {})]
    assert "no valid system to no valid system" in structure_claim({"trained": unread}, ("gsm8k",), HIGH).ours
