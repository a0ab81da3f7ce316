"""How many samples are right, when some could not be measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Right answers among n samples; one that could not be measured is neither right nor wrong.

    Parameters
    ----------
    correct, n, errors : int
        ``n`` counts all samples, those that could not be measured included. ``errors`` are these: an infrastructure
        error, or the run's cost limit.
    stopped : int
        Those of ``errors`` that the cost limit stopped, or kept from starting.
    """

    correct: int
    n: int
    errors: int = 0
    stopped: int = 0

    def __post_init__(self) -> None:
        if min(self.correct, self.n, self.errors) < 0 or self.correct + self.errors > self.n:
            raise ValueError(f"{self.correct} correct and {self.errors} errors among {self.n} samples cannot be")
        if not 0 <= self.stopped <= self.errors:
            raise ValueError(f"{self.stopped} stopped samples are not among {self.errors} that were not measured")

    @property
    def low(self) -> float:
        """Share of right answers if every sample in error were wrong, in [0, 1]; 0 without samples."""
        return self.correct / self.n if self.n else 0.0

    @property
    def high(self) -> float:
        """Share of right answers if every sample in error were right, in [0, 1]; 1 without samples."""
        return (self.correct + self.errors) / self.n if self.n else 1.0

    @property
    def value(self) -> float | None:
        """The share of right answers in [0, 1]; None without samples, and while there are errors."""
        return self.low if self.n and not self.errors else None

    def __str__(self) -> str:
        """``6/10, 60 %``, or ``6/10, 2 errors, 60-80 %``, or ``6/10, 1 error, 1 stopped, 60-80 %``."""
        if not self.n:
            return "0/0, no samples"
        if not self.errors:
            return f"{self.correct}/{self.n}, {100 * self.low:.3g} %"
        n_failed = self.errors - self.stopped
        failed = [f"{n_failed} error{'' if n_failed == 1 else 's'}"] if n_failed else []
        stopped = [f"{self.stopped} stopped"] if self.stopped else []
        share = f"{100 * self.low:.3g}-{100 * self.high:.3g} %"
        return ", ".join([f"{self.correct}/{self.n}", *failed, *stopped, share])
