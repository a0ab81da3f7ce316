"""Cards of adapters: what they learned from, and how far they came."""

import json

import pytest

from masrepro.models.desk import shipped_adapters
from masrepro.report.adapter_card import adapter_card


@pytest.mark.parametrize("folder", shipped_adapters(), ids=lambda folder: folder.name)
def test_the_shipped_card_is_what_its_records_say(folder):
    assert (folder / "README.md").read_text(encoding="utf-8") == adapter_card(folder)


def test_pairs_that_were_held_out_are_told_apart(tmp_path):
    folder = tmp_path / "desk-generator"
    folder.mkdir()
    told = {
        "role": "generator",
        "base": "desk-orchestrator",
        "lora_rank": 8,
        "learning_rate": 1e-3,
        "seed": 4,
        "beta": 0.1,
    }
    (folder / "settings.json").write_text(json.dumps(told))
    ranking = {"learned": {"n_pairs": 20, "before": 0.5, "after": 0.75}, "held_out": None}
    (folder / "ranking.json").write_text(json.dumps(ranking))
    assert (
        "ranked 0.50 of 20 pairs right before it learned from them and 0.75 after. It learned with beta 0.1. All"
        in adapter_card(folder)
    )
    ranking["held_out"] = {"n_pairs": 3, "before": 0.0, "after": 1.0}
    (folder / "ranking.json").write_text(json.dumps(ranking))
    text = adapter_card(folder)
    assert "of 3 pairs of other questions 0.00 and 1.00" in text
    assert "MAS²'s generator" in text and "seed 4" in text
    (folder / "settings.json").write_text(json.dumps(told | {"n_templates": 2, "cap": 1.0}))
    assert "It learned with beta 0.1, K 2, R at most 1." in adapter_card(folder)
