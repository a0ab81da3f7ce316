"""A tiny untrained desk model, and pairs that say one thing: words that begin with d are better than others."""

from __future__ import annotations

from random import Random

from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.models.model import Message
from masrepro.train.preference import Preference

WORDS = [f" {first}{last}" for first in "bdfgk" for last in ("ab", "eck", "im", "ol")]
BETTER = [word for word in WORDS if word.startswith(" d")]
OTHERS = [word for word in WORDS if word not in BETTER]
SMALL = Size(width=32, layers=2, heads=2, feed_forward=64)


def save_base(folder):
    """Write the checkpoint there, as `transformers` writes any other."""
    tokenizer = new_tokenizer(WORDS)
    new_model(tokenizer, SMALL, seed=0).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def toy_pairs(n, role="generator"):
    """Two pairs a question."""
    rng = Random(0)

    def written(words):
        return "".join(rng.choices(words, k=rng.randint(3, 5)))

    pairs = []
    for place in range(n):
        prompt = (Message("system", "Rules."), Message("user", written(WORDS)))
        pair = Preference(role, f"item-{place // 2}", prompt, written(BETTER), written(OTHERS), rng.uniform(0.1, 2.0))
        pairs.append(pair)
    return pairs
