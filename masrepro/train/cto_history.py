"""What happened in a training by preferences: its steps, and how the pairs rank before and after.

Written from the trainer's own log, which every checkpoint holds: a training that goes on from one drops what came after
it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class PairStep:
    """One update. Means are over its pairs.

    Parameters
    ----------
    step : int
        From 1.
    loss : float
        Value-scaled.
    margin : float
        beta times what the better action has gained on the worse in log-likelihood since training began, in nats.
    gained : float
        Share of pairs whose better action has gained on the worse.
    delta : float
        dV as it entered the loss.
    win_logp, lose_logp : float
        Log-likelihood of the better and the worse action, in nats.
    grad_norm, learning_rate : float
    """

    step: int
    loss: float
    margin: float
    gained: float
    delta: float
    win_logp: float
    lose_logp: float
    grad_norm: float
    learning_rate: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """How a model ranks pairs: right where it would rather write the better action than the worse.

    Parameters
    ----------
    n_pairs : int
    before, after : float
        Share that the base, and the base with its adapter, rank right.
    gained : float
        Share whose better action has gained on the worse.
    margin : float
        Mean of `PairStep.margin`, in nats.
    """

    n_pairs: int
    before: float
    after: float
    gained: float
    margin: float


_LOGGED = {
    "step": "step",
    "loss": "loss",
    "margin": "rewards/margins",
    "gained": "rewards/accuracies",
    "delta": "delta",
    "win_logp": "logps/chosen",
    "lose_logp": "logps/rejected",
    "grad_norm": "grad_norm",
    "learning_rate": "learning_rate",
}


def steps_of(log: Iterable[Mapping[str, Any]]) -> tuple[PairStep, ...]:
    """The steps in a trainer's log, which has entries of other kinds too."""
    return tuple(
        PairStep(**{field: entry[name] for field, name in _LOGGED.items()}) for entry in log if "loss" in entry
    )


def write_pair_history(path: Path, steps: Iterable[PairStep]) -> None:
    """One JSON line a step; the file is never seen half written."""
    aside = path.with_suffix(".tmp")
    aside.write_text("".join(json.dumps(asdict(step)) + "\n" for step in steps), encoding="utf-8")
    aside.replace(path)


def read_pair_history(path: Path) -> tuple[PairStep, ...]:
    """The steps of a file."""
    return tuple(PairStep(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())
