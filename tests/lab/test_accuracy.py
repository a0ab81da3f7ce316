from __future__ import annotations

import pytest

from masrepro.lab.accuracy import Accuracy


@pytest.mark.parametrize(
    ("accuracy", "text", "value"),
    [
        (Accuracy(6, 10, 2), "6/10, 2 errors, 60-80 %", None),
        (Accuracy(6, 10), "6/10, 60 %", 0.6),
        (Accuracy(1, 3, 1), "1/3, 1 error, 33.3-66.7 %", None),
        (Accuracy(0, 0), "0/0, no samples", None),
        (Accuracy(0, 2, 2), "0/2, 2 errors, 0-100 %", None),
        (Accuracy(199, 200), "199/200, 99.5 %", 0.995),
    ],
)
def test_errors_make_accuracy_a_range_without_a_value(accuracy: Accuracy, text: str, value: float | None) -> None:
    assert str(accuracy) == text
    assert accuracy.value == value


def test_without_samples_anything_is_possible() -> None:
    assert (Accuracy(0, 0).low, Accuracy(0, 0).high) == (0.0, 1.0)


@pytest.mark.parametrize("counts", [(3, 2, 0), (1, 2, 2), (-1, 2, 0), (0, 1, -1)])
def test_counts_that_cannot_be_are_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        Accuracy(*counts)
