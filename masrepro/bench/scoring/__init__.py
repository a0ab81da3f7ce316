"""Whether an answer is right: one entry, `score`, over scorers that keep *wrong* and *unparsed* apart.

Importing this package is light. Math-Verify and SymPy are loaded by the first answer that needs algebra, in a
process of their own.
"""

from masrepro.bench.scoring.outcome import Outcome, Score, ScorerUnavailable
from masrepro.bench.scoring.score import SCORERS, score

__all__ = ["SCORERS", "Outcome", "Score", "ScorerUnavailable", "score"]
