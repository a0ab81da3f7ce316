"""The one entry to all scorers.

Not here: asking a model to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from masrepro.bench.scoring import choice, code, integers, mathematics, paper, qa
from masrepro.bench.scoring.outcome import Score

Scorer = Callable[[str, Sequence[str]], Score]

SCORERS: Mapping[str, Mapping[str, Scorer]] = {
    "exact_int": {"strict": integers.score_integer, "paper": paper.score_as_paper},
    "exact_ints": {"strict": integers.score_integers, "paper": paper.score_list_as_paper},
    "math": {"strict": mathematics.score_mathematics, "paper": paper.score_as_paper},
    "choice": {"strict": choice.score_choice, "paper": paper.score_as_paper},
    "code": {"strict": code.score_code},
    "qa_em": {
        "strict": qa.score_exact_match,
        "paper": paper.score_as_paper,
        "official": partial(qa.score_exact_match, normalise=qa.official),
    },
    "qa_f1": {
        "strict": qa.score_f1,
        "paper": paper.score_as_paper,
        "official": partial(qa.score_f1, normalise=qa.official),
    },
}
"""Scorers by name and flavour."""


def score(name: str, prediction: str | None, gold: str | Sequence[str], flavour: str = "strict") -> Score:
    r"""Whether a reply answers a question rightly.

    Parameters
    ----------
    name : str
        ``exact_int``, ``exact_ints``, ``math``, ``choice``, ``code``, ``qa_em`` or ``qa_f1``.
    prediction : str or None
        The reply, or the part of it that is the answer; None where there was none, which is ``unparsed``.
    gold : str or sequence of str
        The truth. Several are, for ``exact_ints``, all asked for, in order; for ``code``, the tests
        and the prompt that a reply may continue; for the others each is right.
    flavour : str
        ``strict`` is ours; ``paper`` what the authors of MAS-Orchestra ran, faults and all; ``official``, for
        ``qa_em`` and ``qa_f1`` only, the normal form of the HotpotQA script.

    Raises
    ------
    ValueError
        Unknown name or flavour, no gold answer, or one that the scorer cannot read. No prediction raises.
    ScorerUnavailable
        Algebra cannot be done at all, for example because Math-Verify is not installed.
    """
    if name not in SCORERS:
        raise ValueError(f"no scorer {name!r}; there are {', '.join(SCORERS)}")
    if flavour not in SCORERS[name]:
        raise ValueError(f"scorer {name!r} has no flavour {flavour!r}; it has {', '.join(SCORERS[name])}")
    golds = (gold,) if isinstance(gold, str) else tuple(gold)
    if not golds:
        raise ValueError(f"scorer {name!r} was given no gold answer")
    if prediction is None and flavour != "paper":
        return Score("unparsed", None, 0.0, (False,) * len(golds) if name == "exact_ints" else ())
    return SCORERS[name][flavour](prediction or "", golds)
