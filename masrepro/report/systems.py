"""What an orchestrator writes: how much of it is valid, of which size and shape it is, and how often it works."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.lab.table import Row
from masrepro.orchestration import OrchestrationError, parse
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.report.axes import item_scores
from masrepro.report.statistics import accuracy

CALL = "create_agent("


def validity_rows(texts: Iterable[str], *, dom: DoM = DoM.HIGH, catalogue: Catalogue = STANDARD) -> list[Row]:
    """Share of valid systems by the number of agents that were written, and what is wrong with the others."""
    rules: dict[int, list[str | None]] = defaultdict(list)
    for text in texts:
        rules[text.count(CALL)].append(_rule_broken(text, dom, catalogue))
    return [_validity(f"{size}", rules[size]) for size in sorted(rules)] + [
        _validity("all", [rule for size in sorted(rules) for rule in rules[size]])
    ]


def system_rows(draws: Sequence[Evaluation], single: Sequence[Evaluation]) -> list[Row]:
    """Size, shape and success of written systems, a row a benchmark.

    Parameters
    ----------
    draws : sequence of Evaluation
        Of systems written by one orchestrator; several on a benchmark are several draws for the same items.
    single : sequence of Evaluation
        Of the single agent on the same items, one a benchmark.

    Notes
    -----
    ``rescues`` is the share of systems that are right among those for items on which the single agent is wrong.
    """
    alone = {evaluation.benchmark: evaluation for evaluation in single}
    groups: dict[str, list[Evaluation]] = defaultdict(list)
    for evaluation in draws:
        groups[evaluation.benchmark].append(evaluation)
    return [_system_row(benchmark, group, alone[benchmark]) for benchmark, group in groups.items()]


def _system_row(benchmark: str, group: Sequence[Evaluation], alone: Evaluation) -> Row:
    samples = [sample for evaluation in group for sample in evaluation.samples]
    valid = [sample for sample in samples if sample.orchestration is not None]
    scores = [item_scores(evaluation) for evaluation in group]
    failed = {sample.item_id for sample in alone.samples if sample.outcome != "correct"}
    rescued = [sample.outcome == "correct" for sample in samples if sample.item_id in failed]
    return {
        "benchmark": benchmark,
        "systems": len(samples),
        "valid": len(valid) / len(samples),
        "agents": _mean(valid, lambda sample: sample.n_agents),
        "longest chain": _mean(valid, lambda sample: sample.longest_chain),
        "single agent": str(accuracy(item_scores(alone))),
        "written": str(accuracy([sum(of_item) / len(of_item) for of_item in zip(*scores, strict=True)])),
        "rescues": sum(rescued) / len(rescued) if rescued else None,
    }


def _mean(samples: Sequence[Sample], what: Callable[[Sample], int]) -> float | None:
    return sum(map(what, samples)) / len(samples) if samples else None


def _validity(size: str, rules: Sequence[str | None]) -> Row:
    wrong = Counter(rule for rule in rules if rule is not None)
    return {
        "agents": size,
        "systems": len(rules),
        "valid": str(accuracy([float(rule is None) for rule in rules])),
        "rules broken": ", ".join(f"{rule} {count}" for rule, count in wrong.most_common()),
    }


def _rule_broken(text: str, dom: DoM, catalogue: Catalogue) -> str | None:
    try:
        parse(text, dom=dom, catalogue=catalogue)
    except OrchestrationError as error:
        return error.rule
    return None
