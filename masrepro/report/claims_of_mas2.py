"""What MAS² (arXiv 2509.24323) claims, with its values and the notebooks that measure it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from masrepro.report.paper_claim import PaperClaim
from masrepro.report.published.mas2 import OURS, cross_backbone, frontier, margins, worth_of

_claim = partial(PaperClaim, OURS)
_ABLATIONS, _RUNTIME = "13_mas2_ablations", "10_mas2_runtime"


def mas2_claims() -> Iterator[PaperClaim]:
    """Its claims, in the order of its text."""
    yield _claim(
        "Meta-agents that collaborative tree optimisation trained beat their untrained selves",
        "section 3",
        "",
        ("11_train_meta_agents", "12_mas2_main_table"),
        ("cto", "trained", "tree"),
    )
    yield _claim(
        "It lies on the front of accuracy and cost",
        "figure 3",
        "; ".join(
            f"{one.benchmark}: {one.gain:+.3f} over {one.other}, {one.at_least_times_the_cost:g} times its cost or more"
            for one in frontier()
        ),
        ("12_mas2_main_table",),
        ("cost", "front"),
    )
    yield _claim(
        "It answers best on every benchmark",
        "table 1",
        "; ".join(f"{name}: {gain:+.3f} over {other}" for name, (other, gain) in margins().items()),
        ("12_mas2_main_table",),
    )
    for part in ("generator", "implementer", "rectifier"):
        yield _claim(
            f"The {part} is worth its place",
            "ablation table",
            ", ".join(f"{name} {gain:+.3f}" for name, gain in worth_of(part).items()),
            (_ABLATIONS, _RUNTIME) if part == "rectifier" else (_ABLATIONS,),
            (part,),
        )
    yield _claim(
        "Models that no meta-agent saw in training help without retraining",
        "cross-backbone table",
        _unseen(),
        ("14_cross_backbone",),
    )


def _unseen() -> str:
    """The pool of the training, and the best larger one, by benchmark."""
    cells = cross_backbone()
    said = []
    for name in dict.fromkeys(benchmark for _, benchmark in cells):
        best = max((cell for (_, at), cell in cells.items() if at == name and cell.added), key=lambda cell: cell.value)
        said.append(f"{name}: {cells[OURS, name].value:.3f} to {best.value:.3f} ({best.row})")
    return "; ".join(said)
