"""One record of a data file, read key by key; what is wrong with a key is said by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Record = Mapping[str, Any]


class BadRecord(Exception):
    """A record that cannot be used; the message begins with the key that is at fault."""


class NoAnswer(BadRecord):
    """A record that states no truth."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a record asks, and the truth.

    Parameters
    ----------
    question : str
        All that a system gets to see.
    answer : str or tuple of str
        The truth; a tuple where each of several answers is right. For programs, the tests.
    meta : mapping
        JSON-ready facts for scorers and tables.
    source_id : str
        The record's own id, unique in its source; empty where it has none.
    """

    question: str
    answer: str | tuple[str, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)
    source_id: str = ""


def text(record: Record, *keys: str) -> str:
    """The text under the first of these keys that the record has, without surrounding white space.

    Raises
    ------
    BadRecord
        None of the keys is there, or it holds no text, or an empty one.
    """
    return verbatim(record, *keys).strip()


def verbatim(record: Record, *keys: str) -> str:
    """`text` with its white space: for code."""
    key = _key(record, *keys)
    value = record[key]
    if not isinstance(value, str):
        raise BadRecord(f"{key!r} must be text, not {_kind(value)}")
    if not value.strip():
        raise BadRecord(f"{key!r} is empty")
    return value


def texts(record: Record, key: str) -> tuple[str, ...]:
    """A list of at least one text, none empty."""
    values = record[_key(record, key)]
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadRecord(f"{key!r} must be a list of texts, not {_kind(values)}")
    if not values or not all(value.strip() for value in values):
        raise BadRecord(f"{key!r} is empty, or holds an empty text")
    return tuple(values)


def number_or_text(record: Record, key: str) -> str:
    """A whole number or a text, as text: ids and answers come in both forms."""
    value = record[_key(record, key)]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(record, key)


def _key(record: Record, *keys: str) -> str:
    for key in keys:
        if key in record:
            return key
    raise BadRecord(f"{' or '.join(map(repr, keys))} is missing; the record has {', '.join(record) or 'no keys'}")


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
