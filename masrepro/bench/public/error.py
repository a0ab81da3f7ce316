"""Data that is not there, or cannot be used as it stands."""

from __future__ import annotations


class DataError(ValueError):
    """What is wrong with a benchmark's data, in which file and line, and what to do."""
