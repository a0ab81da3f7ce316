"""What is known about each public benchmark before any of it is loaded; the cards themselves are `cards.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class Split:
    """One split.

    Parameters
    ----------
    size : int
        Number of items in the whole split.
    files : tuple of str
        Names, without ending, that a local copy may have; the first that is there is taken.
    hub : str
        The hub's name for this split; empty where it is not loaded from the hub.
    only : mapping
        Bounds, both included, on integer keys of a record, where one file holds several splits.
    unanswered : int
        How many records were published without a truth. So many, and no more, are left out.
    """

    size: int
    files: tuple[str, ...]
    hub: str = ""
    only: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unanswered: int = 0


@dataclass(frozen=True, slots=True)
class Hub:
    """Where the hub keeps the data: repository, configurations (joined in this order) and commit.

    ``revision`` is None where ``not_pinned`` says why no commit is known.
    """

    id: str
    configs: tuple[str | None, ...] = (None,)
    revision: str | None = None
    not_pinned: str = ""


@dataclass(frozen=True, slots=True)
class Package:
    """A Python package that carries the data: its name in the registry, its module, the file in the module."""

    name: str
    module: str
    file: str


@dataclass(frozen=True, slots=True)
class Card:
    """A benchmark's card.

    Parameters
    ----------
    name, title : str
        As asked for, and what it is.
    schema : str
        Which reader of `masrepro.bench.public.schemas` understands its records.
    scorer : str
        Name for `masrepro.bench.score`.
    licence, keep_private : str
        What may be done with it, and what may not be published.
    judge : str
        Whether a language model must judge answers.
    paper : str
        How MAS-Orchestra (arXiv 2601.14652) or MAS² (arXiv 2509.24323) ran it.
    splits : mapping of str to Split
        By name. ``test`` is what is evaluated, whatever the hub calls it.
    hub : Hub or None
        None where it must not or cannot be used straight from the hub; then ``how_to_get`` says what to do.
    package : Package or None
        Looked at when there is no local file.
    """

    name: str
    title: str
    schema: str
    scorer: str
    licence: str
    keep_private: str
    judge: str
    paper: str
    splits: Mapping[str, Split]
    hub: Hub | None = None
    package: Package | None = None
    how_to_get: str = ""


@cache
def cards() -> Mapping[str, Card]:
    """All cards, by name."""
    text = resources.files(__package__).joinpath("cards.yaml").read_text(encoding="utf-8")
    return {name: _card(name, entry) for name, entry in yaml.safe_load(text).items()}


def _card(name: str, entry: dict[str, Any]) -> Card:
    splits = {split: _split(facts) for split, facts in entry.pop("splits").items()}
    hub, package = entry.pop("hub", None), entry.pop("package", None)
    return Card(
        name=name,
        splits=splits,
        hub=Hub(**{**hub, "configs": tuple(hub.get("configs", (None,)))}) if hub else None,
        package=Package(**package) if package else None,
        **entry,
    )


def _split(facts: dict[str, Any]) -> Split:
    only = {key: (low, high) for key, (low, high) in facts.get("only", {}).items()}
    return Split(**{**facts, "files": tuple(facts["files"]), "only": only})
