"""Tables of what an orchestrator wrote."""

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.report.systems import system_rows, validity_rows

ONE = 'create_agent(id="a1", role="solver", goal="", workflow="cot")'
TWO = f'{ONE}\ncreate_agent(id="a2", role="solver", goal="", workflow="cot")'
JOINED = f'{TWO}\ncreate_flow(source="a1", target="a2")'


def test_validity_is_counted_by_agents_written_and_names_the_rules_broken():
    one, two, everything = validity_rows([ONE, ONE, TWO, JOINED])
    assert (one["agents"], one["systems"], one["valid"][:4]) == ("1", 2, "1.00")
    assert (two["systems"], two["valid"][:4], two["rules broken"]) == (2, "0.50", "disconnected 1")
    assert (everything["agents"], everything["systems"]) == ("all", 4)


def sample(system, item, outcome, n_agents=2):
    plan = None if outcome == "invalid" else JOINED
    return Sample(
        system, "b", item, 0, outcome, "1", "1", "1", n_agents=n_agents, longest_chain=n_agents, orchestration=plan
    )


def test_success_is_told_apart_where_the_single_agent_fails():
    alone = Evaluation("single", "b", (sample("single", "x", "correct"), sample("single", "y", "wrong")))
    draws = [
        Evaluation("o/0", "b", (sample("o/0", "x", "wrong"), sample("o/0", "y", "correct", 4))),
        Evaluation("o/1", "b", (sample("o/1", "x", "correct"), sample("o/1", "y", "invalid"))),
    ]
    (row,) = system_rows(draws, [alone])
    assert row["systems"] == 4
    assert row["valid"] == 0.75
    assert row["agents"] == 8 / 3
    assert row["rescues"] == 0.5
    assert row["written"].startswith("0.50")
