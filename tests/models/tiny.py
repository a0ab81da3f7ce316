"""A tiny language model with random weights: the desk models' architecture and tokenizer, over a vocabulary of words.

Its matrices are enlarged, so that texts are lively instead of one word over and over, and small differences would show.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import torch

from masrepro.models import Local, Message
from masrepro.models.desk import Size, new_model, new_tokenizer

WORDS = [f" {first}{last}" for first in "bdfgklmnprst" for last in ("ab", "eck", "im", "ol", "un", "ash", "ent", "ix")]


def save_tiny(folder: Path) -> Path:
    """Write the checkpoint, as `transformers` writes any other."""
    tokenizer = new_tokenizer(WORDS)
    model = new_model(tokenizer, Size(), seed=0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "embed" not in name:
                parameter.mul_(3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def load_tiny(folder: Path, dtype: str = "float64", max_batch: int = 64) -> Local:
    """The same checkpoint as an engine."""
    return Local(folder, dtype=dtype, max_batch=max_batch)


def prompts(n: int, seed: int = 0, shortest: int = 3, longest: int = 40) -> list[list[Message]]:
    """Conversations of one turn with ``shortest`` to ``longest`` words."""
    rng = Random(seed)
    return [[Message("user", "".join(rng.choices(WORDS, k=rng.randint(shortest, longest))))] for _ in range(n)]
