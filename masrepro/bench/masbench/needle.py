"""A needle in a haystack: one code among sentences that say nothing, after RULER (arXiv 2404.06654).

MASBench's Robustness sets such sub-tasks among its problems. Sentences and keys are our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

ADJECTIVES = ("amber", "brisk", "calm", "crimson", "distant", "hollow", "mellow", "northern", "pale", "silver")
NOUNS = ("anchor", "bridge", "canyon", "feather", "glacier", "lantern", "meadow", "orchard", "pebble", "valley")
# About as long as a problem's sentences, so that items of one number of sentences are of about one length.
FILLER = (
    "The road runs long and quiet from the old bridge down to the edge of the sea.",
    "A few birds sit on the fence behind the house and wait for the end of the rain.",
    "In the evening a light burns in the upper window until the last guest is home.",
    "The river turns to the west below the hill and is shallow for most of the year.",
    "Nobody has painted the wooden gate since the summer when the fair came to town.",
)
CODES = range(1_000_000, 10_000_000)
_KEYS = [f"{adjective} {noun}" for adjective in ADJECTIVES for noun in NOUNS]


@dataclass(frozen=True, slots=True)
class Needle:
    """A code to be found.

    Parameters
    ----------
    code : int
        Seven digits; not taken modulo 23.
    n_filler : int
        Sentences around it.
    place : int
        How many of them come before it.
    key : str
        What the code is of, such as ``amber valley``.
    """

    code: int
    n_filler: int
    place: int
    key: str = ""

    @property
    def answer(self) -> int:
        """The code."""
        return self.code

    @property
    def asked(self) -> str:
        """What is asked for, in words."""
        return f"the code of the {self.key}"

    @property
    def template(self) -> str:
        """All needles have one form; where it lies and how much surrounds it are no structure."""
        return "needle"

    @property
    def sentences(self) -> int:
        """All sentences, the needle's among them."""
        return self.n_filler + 1

    def keyed(self, key: str) -> Needle:
        """The same needle of that key."""
        return Needle(self.code, self.n_filler, self.place, key)

    def haystack(self) -> str:
        """The sentences; filler is one group over and over."""
        filler = [FILLER[index % len(FILLER)] for index in range(self.n_filler)]
        return " ".join([*filler[: self.place], f"The code of the {self.key} is {self.code}.", *filler[self.place :]])


def hidden_code(rng: Random, n_filler: int) -> Needle:
    """A needle without a key, anywhere among ``n_filler`` sentences."""
    return Needle(rng.choice(CODES), n_filler, rng.randint(0, n_filler))


def draw_keys(rng: Random, count: int) -> Sequence[str]:
    """Distinct keys."""
    return rng.sample(_KEYS, count)
