"""In what a processor computes fastest."""

from __future__ import annotations


def bfloat16_pays() -> bool:
    """Whether this processor multiplies in bfloat16: with AVX-512 on x86, or ARM's instructions for it.

    Any other does so too, but number by number: a product of matrices then takes thirty times as long as in float32.
    """
    import torch

    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
