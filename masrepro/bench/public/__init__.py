"""Public benchmarks: a card for each, and their items from a local file, a package or the hub."""

from masrepro.bench.public.card import Card, cards
from masrepro.bench.public.error import DataError
from masrepro.bench.public.load import load, load_passages

__all__ = ["Card", "DataError", "cards", "load", "load_passages"]
