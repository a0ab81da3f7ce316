"""Model cards: what was measured, and how the model was made."""

from masrepro.report.card import card

RECIPE = {
    "corpus": "solver",
    "begins_with": "",
    "seed": 3,
    "size": {"width": 128, "layers": 4, "heads": 2, "feed_forward": 384},
}
TRAINING = {
    "recipe": RECIPE,
    "tokens": 8_500_000,
    "steps": 2100,
    "minutes": 21.4,
    "commit": "0123456789abcdef",
    "dirty": True,
    "curve": [[1, 2.0]],
}
POINT = {"axis": "depth", "value": 4, "n": 50, "gain": None, "gain_low": None, "gain_high": None}
POINT |= {f"{who}{end}": 0.5 for who in ("single_agent", "oracle") for end in ("", "_low", "_high")}
COMMAND = "python -m masrepro run 03_desk_models --profile desk -p n_samples 9"
RESULTS = {
    "points": [{**POINT, "solver": "desk-solver-s"}, {**POINT, "solver": "desk-solver-l", "value": 6}],
    "orchestrator": "desk-orchestrator",
    "validity": [{"agents": "2", "systems": 9, "valid": "1.00 [0.70, 1.00]", "rules broken": ""}],
}


def test_a_solvers_card_holds_its_own_figures_and_its_making():
    text = card("desk-solver-s", TRAINING, RESULTS, COMMAND)
    assert "| depth" in text
    assert "0.50 [0.50, 0.50]" in text
    assert "missing" in text
    assert " 6 " not in text.partition("Measured")[2]
    assert f"Measured by `{COMMAND}`." in text
    assert "8.5 M tokens in 2,100 steps" in text
    assert "seed 3, 21 minutes of one shared core, code of commit 0123456789ab with changes on top" in text


def test_an_orchestrators_card_holds_what_it_writes():
    training = {**TRAINING, "recipe": {**RECIPE, "corpus": "orchestrator", "begins_with": "desk-solver-s"}}
    text = card("desk-orchestrator", {**training, "commit": None}, RESULTS, COMMAND)
    assert "the weights of desk-solver-s" in text
    assert "1.00 [0.70, 1.00]" in text
    assert "code of no known commit" in text


def test_a_model_that_was_not_measured_claims_nothing():
    assert "Measured" not in card("desk-thinker", TRAINING, RESULTS, COMMAND)
