r"""Short factual answers: exact match and token F1.

Source: the evaluation script of SQuAD 1.1 (lower case, no punctuation, no articles, single spaces), and that
of HotpotQA for F1, in which yes, no and noanswer are right or wrong as a whole. The *official* form is
theirs. The *strict* form differs where theirs leaves nothing to compare: "A" and "The", or "!!!" and "?", are
then not the same. Where the answer stands in a reply is found in one way for both.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

from masrepro.bench.scoring.boxes import spoken, stated
from masrepro.bench.scoring.outcome import Score, judged, unparsed

_WHOLE_ANSWERS = frozenset({"yes", "no", "noanswer"})
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_TEXT_COMMAND = re.compile(r"\\(?:text(?:bf|it|rm)?|mathrm|mathbf)\s*\{([^{}]*)\}")

Normalise = Callable[[str], str]


def official(answer: str) -> str:
    """Normal form of the SQuAD and HotpotQA scripts; may be empty."""
    without_articles = re.sub(r"\b(a|an|the)\b", " ", answer.lower().translate(_PUNCTUATION))
    return _single_spaced(without_articles)


def strict(answer: str) -> str:
    """`official`, but what would be stripped to nothing keeps its articles, or else its punctuation."""
    lowered = answer.lower()
    return official(answer) or _single_spaced(lowered.translate(_PUNCTUATION)) or _single_spaced(lowered)


def exact_match(prediction: str, gold: str, normalise: Normalise = strict) -> bool:
    """Whether the normal forms are equal."""
    return normalise(prediction) == normalise(gold)


def f1(prediction: str, gold: str, normalise: Normalise = strict) -> float:
    """Harmonic mean of token precision and recall, in [0, 1]; 0 where yes or no meets anything else."""
    predicted, right = normalise(prediction), normalise(gold)
    if predicted != right and (predicted in _WHOLE_ANSWERS or right in _WHOLE_ANSWERS):
        return 0.0
    tokens, right_tokens = predicted.split(), right.split()
    n_common = sum((Counter(tokens) & Counter(right_tokens)).values())
    return 2 * n_common / (len(tokens) + len(right_tokens)) if n_common else 0.0


def score_exact_match(prediction: str, gold: Sequence[str], normalise: Normalise = strict) -> Score:
    """Score by exact match with any of the gold aliases."""
    answer = stated_answer(prediction)
    if answer is None:
        return unparsed()
    return judged(any(exact_match(answer, alias, normalise) for alias in gold), answer)


def score_f1(prediction: str, gold: Sequence[str], normalise: Normalise = strict) -> Score:
    """Score by the best F1 over the gold aliases, which is the credit; ``correct`` is an F1 of 1."""
    answer = stated_answer(prediction)
    if answer is None:
        return unparsed()
    credit = max(f1(answer, alias, normalise) for alias in gold)
    return Score("correct" if credit == 1.0 else "wrong", answer, credit)


def stated_answer(prediction: str) -> str | None:
    """What a reply gives as its answer (see `boxes.stated`), without text commands; None if that is empty."""
    answer = stated(spoken(prediction))
    return None if answer is None else _TEXT_COMMAND.sub(r"\1", answer).strip() or None


def _single_spaced(text: str) -> str:
    return " ".join(text.split())
