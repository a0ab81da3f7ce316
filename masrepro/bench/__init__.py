"""Benchmarks and how they are scored: items with truths, and what counts as right."""

from masrepro.bench.item import Item
from masrepro.bench.masbench.solver import solve_text
from masrepro.bench.registry import benchmark
from masrepro.bench.scoring import Score, score

__all__ = ["Item", "Score", "benchmark", "score", "solve_text"]
