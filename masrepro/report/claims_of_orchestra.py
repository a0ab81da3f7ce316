"""What MAS-Orchestra (arXiv 2601.14652) claims, with its values and the notebooks that measure it.

The report holds against this list what the runs found, so that gaps show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from masrepro.report.competence import published_gains
from masrepro.report.cost_claims import published_front
from masrepro.report.paper_claim import PaperClaim
from masrepro.report.published import Published, figure, figure_3, figure_3_axes, shapes_written, table_3, table_d2
from masrepro.report.structure_claims import published_shape

_WEAK, _ABLE = "Qwen2.5-7B-Instruct", "GPT-OSS-120B (low)"
_OURS, _TURNS = "MAS-Orchestra", "ToolOrchestra"
"""In table 3: the paper's own, and the one that calls an agent a turn."""
_claim = partial(PaperClaim, "MAS-Orchestra")


def orchestra_claims() -> tuple[PaperClaim, ...]:
    """Its claims, those about MASBench first, then how an orchestrator is trained, then public benchmarks and costs."""
    return (*_masbench(), *_training(), *_orchestrators(), *_public())


def _masbench() -> Iterator[PaperClaim]:
    own = {axis: list(figure_3(axis, sub_agent=_WEAK).values()) for axis in figure_3_axes(_WEAK)}
    for axis, values in (own | {"robustness": list(figure("c1"))}).items():
        yield _claim(
            f"{axis.capitalize()}: one agent answers worse and worse, and what several agents gain",
            "figure C.1" if axis == "robustness" else "figure 3",
            "; ".join(f"{who.upper()} {_ends(values, who)}" for who in ("sas", "mas")),
            ("01_five_axes",),
            (axis,),
        )
    yield _claim(
        "Weaker sub-agents gain more from several agents than stronger ones",
        "figure 3",
        "; ".join(map(published_gains, (_WEAK, _ABLE))),
        ("01_five_axes",),
        ("weaker",),
    )
    yield _claim(
        "Several agents gain at the edge of competence, and little where one can do it all",
        "figure 3",
        "; ".join(map(published_gains, (_WEAK, _ABLE))),
        ("01_five_axes", "03_desk_models"),
        ("edge of competence",),
    )


def _training() -> Iterator[PaperClaim]:
    shapes = shapes_written("c2")["shapes"]
    yield _claim(
        "Trained on the answer alone, an orchestrator's systems take on the structure of the task",
        "figure C.2",
        "; ".join(f"{axis}: {published_shape(shape)}" for axis, shape in shapes.items()),
        ("05_train_orchestrator",),
        ("shape", "structure", "worker"),
    )
    yield _claim(
        "Training raises the reward, and the trained orchestrator's systems beat the single agent",
        "figure 3, appendix C",
        published_gains(_WEAK),
        ("05_train_orchestrator",),
    )
    tokens = {key: cost.tokens for key, cost in table_d2().items()}
    yield _claim(
        "A whole system at once costs less than an agent a turn",
        "table D.2",
        "; ".join(
            f"{name}: {tokens[_OURS, name]:,} to {own:,} tokens" for (who, name), own in tokens.items() if who == _TURNS
        ),
        ("06_holistic_vs_sequential",),
        ("costs less",),
    )
    yield _claim(
        "A whole system at once answers better than an agent a turn",
        "table 3",
        _beside(_of(_OURS), _of(_TURNS)),
        ("06_holistic_vs_sequential",),
    )
    degrees = {name: score.dom for (who, name), score in table_3().items() if who == _OURS}
    yield _claim(
        "How many agents help depends on the task, so a degree of MAS is set for each",
        "section 3, table 3",
        "no sweep; " + ", ".join(f"{dom} on {name}" for name, dom in degrees.items()),
        ("07_dom_sweep",),
    )


def _orchestrators() -> Iterator[PaperClaim]:
    measured = ("08_orchestrator_and_effort",)
    yield _claim(
        "A reasoning orchestrator comes to write single agents, an instruction-tuned one whole systems",
        "figure C.6",
        _changes(shapes_written("c6")["shares"]),
        measured,
        ("single agents",),
    )
    for number, claim, words in (
        ("4", "An orchestrator that follows instructions does better than one that reasons", ("solves the question",)),
        ("c3", "One orchestrator trained on all axes does as well as one an axis", ("all axes", "combined")),
        ("c4", "Robustness has to be trained on adversarial items", ("adversarial",)),
        ("5", "At higher reasoning effort several agents gain less", ("effort",)),
    ):
        where = f"figure {number}" if number.isdigit() else f"figure {number[0].upper()}.{number[1:]}"
        yield _claim(claim, where, _by_setting(figure(number)), measured, words)
    yield _claim(
        "What is learned on small values of an axis holds at larger ones",
        "figures 3 and C.1, appendix C.6",
        published_gains(_ABLE),
        measured,
        ("larger values",),
    )


def _public() -> Iterator[PaperClaim]:
    yield _claim(
        "Self-consistency, debate, reflexion and search beat one chain of thought",
        "table 3",
        _beside(_best("standalone"), _of("CoT")),
        ("04_public_benchmarks",),
    )
    yield _claim(
        "The trained orchestrator beats other automatic designers, but on GPQA",
        "table 3",
        _beside(_of(_OURS), _best("others")),
    )
    yield _claim(
        "On a public benchmark an orchestrator settles on one design",
        "figures D.1 and D.2",
        _changes(shapes_written("d1")["shares"] | shapes_written("d2")["shares"]),
    )
    yield _claim(
        "A trained orchestrator lies on the front of accuracy and cost",
        "figure 1, table D.2",
        ", ".join(f"{system} ({usd:.2f} USD, {score:.3f})" for system, (usd, score) in published_front()),
        ("09_cost_pareto",),
    )


def _ends(values: Sequence[Published], who: str) -> str:
    """A system's accuracy at the least and at the largest axis value."""
    own = [value for value in values if value.system == who]
    return f"{own[0].value:.3f} at {own[0].axis_value} to {own[-1].value:.3f} at {own[-1].axis_value}"


def _by_setting(values: Sequence[Published]) -> str:
    """For each setting and axis what several agents gain over one, or their accuracy if there is no single agent."""
    said = []
    for setting in dict.fromkeys(value.setting for value in values):
        own = [value for value in values if value.setting == setting]
        axes = {axis: [value for value in own if value.axis == axis] for axis in dict.fromkeys(v.axis for v in own)}
        said.append(f"{setting}: {', '.join(f'{axis} {_mean(some)}' for axis, some in axes.items())}")
    return "; ".join(said)


def _mean(values: Sequence[Published]) -> str:
    by_system = {who: fmean(v.value for v in values if v.system == who) for who in {v.system for v in values}}
    if "sas" in by_system:
        return f"{by_system['mas'] - by_system['sas']:+.3f}"
    return f"{by_system['mas']:.3f}"


def _of(system: str) -> dict[str, float]:
    """A system's accuracies in table 3, by benchmark."""
    return {benchmark: score.value for (who, benchmark), score in table_3().items() if who == system}


def _best(group: str) -> dict[str, float]:
    """The best accuracies of a part of table 3, by benchmark."""
    scores = [score for score in table_3().values() if score.group == group]
    return {
        name: max(s.value for s in scores if s.benchmark == name) for name in dict.fromkeys(s.benchmark for s in scores)
    }


def _beside(ours: Mapping[str, float], theirs: Mapping[str, float]) -> str:
    return "; ".join(f"{name}: {value:.3f} to {theirs[name]:.3f}" for name, value in ours.items() if name in theirs)


def _changes(shares: Mapping[str, Sequence[float]]) -> str:
    """Shares at the first and the last step."""
    return "; ".join(f"{what}: {first} to {last}" for what, (first, last) in shares.items())
