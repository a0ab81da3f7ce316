"""How many samples are right, when some could not be measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Right answers among n samples; one that ended in an infrastructure error is neither right nor wrong.

    Parameters
    ----------
    correct, n, errors : int
        ``n`` counts all samples, those in error included.
    """

    correct: int
    n: int
    errors: int = 0

    def __post_init__(self) -> None:
        if min(self.correct, self.n, self.errors) < 0 or self.correct + self.errors > self.n:
            raise ValueError(f"{self.correct} correct and {self.errors} errors among {self.n} samples cannot be")

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
        """``6/10, 60 %``, or ``6/10, 2 errors, 60-80 %``."""
        if not self.n:
            return "0/0, no samples"
        if not self.errors:
            return f"{self.correct}/{self.n}, {100 * self.low:.3g} %"
        errors = "1 error" if self.errors == 1 else f"{self.errors} errors"
        return f"{self.correct}/{self.n}, {errors}, {100 * self.low:.3g}-{100 * self.high:.3g} %"
