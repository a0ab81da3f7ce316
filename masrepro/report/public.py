"""Sub-agents alone on public benchmarks, in the frame of MAS-Orchestra's table 3: rows and claims, from evaluations.

Where the data or the model are not there, nothing was measured, and rows and claims say why. Not here: the paper's
orchestrated rows, which need a trained orchestrator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.table import Row
from masrepro.report.axes import columns, item_scores
from masrepro.report.claims import Claim
from masrepro.report.published import PublishedScore, table_3
from masrepro.report.statistics import Estimate, accuracy, shown

WHERE = "MAS-Orchestra, table 3 (GPT-OSS-120B sub-agents, low effort)"
NAMES: Mapping[str, str] = {
    "cot": "CoT",
    "cot_sc": "SC",
    "debate": "Debate",
    "reflexion": "Reflexion",
    "deep_research": "Search",
}
"""Workflows by our name, and what table 3 calls them."""
MODEL = "the model"
"""Goes by this name among what is missing."""


def published_rows() -> list[Row]:
    """Table 3 as printed, percent with two decimals: a row a system, a column a benchmark; None where not run."""
    table = table_3()
    benchmarks = list(dict.fromkeys(benchmark for _, benchmark in table))
    systems = {system: score.group for (system, _), score in table.items()}
    return [
        {"system": system, "part": group, **{name: _percent(table.get((system, name))) for name in benchmarks}}
        for system, group in systems.items()
    ]


def public_rows(evaluations: Sequence[Evaluation]) -> list[Row]:
    """What was measured, a row a benchmark and sub-agent; no times, so that equal runs give equal rows.

    The share of right answers is None while a sample is in error. The paper's value stands beside it, as a share, where
    table 3 has the benchmark.
    """
    return [
        {
            "benchmark": evaluation.benchmark,
            "sub-agent": NAMES.get(evaluation.system, evaluation.system),
            "items": len(item_scores(evaluation)),
            **columns("right", _right(evaluation)),
            "outcomes": _counted(evaluation),
            "calls": evaluation.usage.calls,
            "prompt tokens": evaluation.usage.prompt_tokens,
            "completion tokens": evaluation.usage.completion_tokens,
            "paper": _paper(evaluation),
        }
        for evaluation in evaluations
    ]


def public_reading(evaluations: Sequence[Evaluation]) -> list[Row]:
    """The same for reading, with intervals and with the mean seconds of a sample, which others may have shared."""
    return [
        {
            "benchmark": row["benchmark"],
            "sub-agent": row["sub-agent"],
            "right": shown(_right(evaluation)),
            "outcomes": row["outcomes"],
            "calls": row["calls"],
            "prompt tokens": row["prompt tokens"],
            "completion tokens": row["completion tokens"],
            "seconds a sample": sum(sample.seconds for sample in evaluation.samples) / len(evaluation.samples),
            "paper": row["paper"],
        }
        for row, evaluation in zip(public_rows(evaluations), evaluations, strict=True)
    ]


def public_claims(evaluations: Sequence[Evaluation], model: str, missing: Mapping[str, str]) -> list[Claim]:
    """What table 3 says of sub-agents alone, beside what was measured.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of `masrepro.baselines.Alone`; perhaps none.
    model : str
        The sub-agents' model here, for the verdict.
    missing : mapping of str to str
        What was not there, and what to do, by benchmark; the model goes by `MODEL`.
    """
    measured = {(evaluation.benchmark.split("/")[0], evaluation.system): evaluation for evaluation in evaluations}
    return [
        _compared("Search leads the sub-agents on HotpotQA", "hotpotqa", tuple(NAMES), measured, model, missing),
        _compared(
            "Sampling, debate and reflection gain a little over one chain of thought on HotpotQA",
            "hotpotqa",
            ("cot", "cot_sc", "debate", "reflexion"),
            measured,
            model,
            missing,
        ),
    ]


def missing_text(missing: Mapping[str, str]) -> str:
    """Markdown for people: what was not there and what to do; empty where nothing is missing."""
    if not missing:
        return ""
    listed = "\n\n".join(f"- **{what}**\n\n  ```\n  {_indented(why)}\n  ```" for what, why in missing.items())
    return f"Not everything that is measured here is there, so the rows that need it are left out:\n\n{listed}"


def _compared(
    claim: str,
    benchmark: str,
    workflows: Sequence[str],
    measured: Mapping[tuple[str, str], Evaluation],
    model: str,
    missing: Mapping[str, str],
) -> Claim:
    table = table_3()
    published = ", ".join(f"{NAMES[name]} {table[NAMES[name], benchmark].value:.3f}" for name in workflows)
    own = {name: measured[benchmark, name] for name in workflows if (benchmark, name) in measured}
    if not own:
        needed = [what for what in missing if what.split("/")[0] in (benchmark, MODEL)]
        why = f"not there: {', '.join(needed)}" if needed else "not asked for in these params"
        return Claim(claim, WHERE, published, "not measured", f"incomplete: {why}")
    ours = ", ".join(f"{NAMES[name]} {shown(_right(evaluation))}" for name, evaluation in own.items())
    errors = sum(evaluation.accuracy.errors for evaluation in own.values())
    if errors:
        return Claim(claim, WHERE, published, ours, f"incomplete: {errors} samples could not be measured")
    n_items = max(len(evaluation.samples) for evaluation in own.values())
    here = f"{model}, {n_items} items once; the paper has GPT-OSS-120B, 200 items 8 times"
    return Claim(claim, WHERE, published, ours, f"not comparable: {here}")


def _right(evaluation: Evaluation) -> Estimate | None:
    return None if evaluation.accuracy.errors else accuracy(item_scores(evaluation))


def _counted(evaluation: Evaluation) -> str:
    return ", ".join(f"{n} {outcome}" for outcome, n in evaluation.outcomes.items() if n)


def _paper(evaluation: Evaluation) -> float | None:
    """The paper's share; both forms of HotpotQA stand beside its HotpotQA."""
    score = table_3().get((NAMES.get(evaluation.system, ""), evaluation.benchmark.split("/")[0]))
    return score.value if score else None


def _percent(score: PublishedScore | None) -> str | None:
    return None if score is None else f"{100 * score.value:.2f}"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
