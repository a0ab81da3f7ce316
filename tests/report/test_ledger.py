"""Every claim of both papers beside what the runs found."""

import pytest
from saved import CLAIM, save_run

from masrepro.lab.params import SCHEMAS
from masrepro.report.claims import Claim
from masrepro.report.claims_of_mas2 import mas2_claims
from masrepro.report.claims_of_orchestra import orchestra_claims
from masrepro.report.ledger import BESIDES, ledger
from masrepro.report.paper_claim import KINDS, kind_of, reason_of, saved_claim
from masrepro.report.saved_runs import saved_runs

PAPERS = [*orchestra_claims(), *mas2_claims()]


def entries_of(outputs):
    return ledger(saved_runs(outputs, "desk"), {}, "desk")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.claim)
def test_a_papers_claim_names_where_it_stands_and_who_measures_it(paper):
    assert paper.paper in ("MAS-Orchestra", "MAS²")
    assert paper.where.startswith(("figure", "table", "section", "ablation", "cross-backbone"))
    assert all(name[:2].isdigit() for name in paper.notebooks)


def test_published_values_come_from_the_data():
    published = {paper.claim: paper.published for paper in PAPERS}
    (depth,) = [values for claim, values in published.items() if claim.startswith("Depth")]
    assert depth == "SAS 0.493 at 2 to 0.049 at 12; MAS 0.500 at 2 to 0.059 at 12"
    assert published["The generator is worth its place"] == "MBPP +0.062, HotpotQA +0.027, MATH +0.082"
    assert "MATH: 0.713 to 0.906" in published["Models that no meta-agent saw in training help without retraining"]


def test_notebooks_that_measure_a_papers_claims_exist():
    known = {*SCHEMAS, "11_train_meta_agents", "12_mas2_main_table", "13_mas2_ablations", "14_cross_backbone"}
    assert {name for paper in PAPERS for name in paper.notebooks} <= known


def test_each_saved_claim_stands_in_one_place_and_none_is_lost(tmp_path):
    claims = [
        CLAIM,
        {**CLAIM, "claim": "Several agents gain over one on Depth"},
        {**CLAIM, "claim": "Something that no paper says", "verdict": "not published"},
    ]
    save_run(tmp_path, results={"claims": claims})
    entries = entries_of(tmp_path)
    shown = [line.claim.claim for entry in entries for line in entry.lines if line.run]
    assert sorted(shown) == sorted(claim["claim"] for claim in claims)
    (depth,) = [entry for entry in entries if entry.claim.startswith("Depth")]
    assert depth.counts == {"not comparable": 2}
    assert (entries[-1].paper, entries[-1].counts) == (BESIDES, {"not published": 1})


def test_a_gap_says_what_would_fill_it(tmp_path):
    save_run(tmp_path)
    gaps = {entry.claim: entry.lines[0] for entry in entries_of(tmp_path) if not entry.lines[0].run}
    breadth = next(line for claim, line in gaps.items() if claim.startswith("Breadth"))
    assert reason_of(breadth.claim) == "its notebook ran, and says nothing of it with these params"
    generator = gaps["The generator is worth its place"]
    assert generator.command == "python -m masrepro run 13_mas2_ablations --profile desk"
    assert {kind_of(line.claim) for line in gaps.values()} == {"not run"}


def test_a_verdict_is_a_kind_and_a_reason():
    claim = saved_claim({**CLAIM, "verdict": "not comparable: ours is not trained; consistent"})
    assert (kind_of(claim), reason_of(claim)) == ("not comparable", "ours is not trained; consistent")
    assert kind_of(claim) in KINDS
    assert reason_of(Claim("a", "b", "", "c", "consistent")) == ""


def test_a_verdict_for_each_model_is_mixed():
    verdict = "desk-solver-s: consistent; desk-solver-m: not shown: the interval holds 0"
    claim = saved_claim({**CLAIM, "verdict": verdict})
    assert (kind_of(claim), reason_of(claim)) == ("mixed", verdict)
    reasons = saved_claim({**CLAIM, "verdict": "differs: too few; consistent: on one"})
    assert kind_of(reasons) == "differs"


def test_a_saved_claim_that_lacks_a_part_says_which():
    with pytest.raises(ValueError, match="lacks published, ours: It falls"):
        saved_claim({"claim": "It falls", "where": "", "ours": "", "verdict": "consistent"})
