"""Computing in what this processor computes fastest."""

from __future__ import annotations

import time

import torch

from masrepro.models.precision import bfloat16_pays


def test_the_number_format_that_is_chosen_is_not_many_times_slower_than_the_other():
    chosen, other = (torch.bfloat16, torch.float32) if bfloat16_pays() else (torch.float32, torch.bfloat16)
    assert seconds(chosen) < 3 * seconds(other)


def seconds(dtype: torch.dtype) -> float:
    """Of the fastest of several products."""
    left, right = torch.randn(512, 256).to(dtype), torch.randn(256, 256).to(dtype)
    durations = []
    for _ in range(5):
        began = time.perf_counter()
        left @ right
        durations.append(time.perf_counter() - began)
    return min(durations)
