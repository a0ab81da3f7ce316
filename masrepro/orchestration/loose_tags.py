"""Tags as the released MAS-Orchestra parser finds them: anywhere, in any case, closed or not."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import NamedTuple


class Field(NamedTuple):
    """The stripped content of the first tag of a name, where that tag starts, and whether it is closed."""

    text: str
    start: int
    closed: bool


def field(text: str, name: str) -> Field | None:
    """The first tag of that name, or None. One that is never closed ends at the next tag or with the text."""
    opened = re.search(f"<{name}>", text, re.IGNORECASE)
    if opened is None:
        return None
    closing = re.compile(f"</{name}>", re.IGNORECASE).search(text, opened.end())
    end = closing.start() if closing else _next_tag(text, opened.end())
    return Field(text[opened.end() : end].strip(), opened.start(), closing is not None)


def spans(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where the contents of closed tags of that name begin and end, without overlap."""
    opening, closing = (re.compile(f"<{slash}{name}>", re.IGNORECASE) for slash in ("", "/"))
    at = 0
    while (opened := opening.search(text, at)) and (closed := closing.search(text, opened.end())):
        yield opened.end(), closed.start()
        at = closed.end()


def count(text: str, name: str) -> int:
    """Number of opening tags of that name."""
    return len(re.findall(f"<{name}>", text, re.IGNORECASE))


def has_stray_text(text: str) -> bool:
    """Whether there is anything but white space outside of agents, edge, thinking and answer."""
    whole = sorted(
        (start - len(name) - 2, end + len(name) + 3)
        for name in ("agent", "edge", "thinking", "answer")
        for start, end in spans(text, name)
    )
    at = 0
    for start, end in whole:
        if text[at:start].strip():
            return True
        at = max(at, end)
    return bool(text[at:].strip())


def list_in(text: str) -> tuple[list[object], bool]:
    """A list written in JSON or as a Python literal, and whether it is JSON; empty if the text is neither."""
    for read in (json.loads, ast.literal_eval):
        try:
            items = read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, SystemError):
            continue
        if isinstance(items, list):
            return items, read is json.loads
    return [], False


def _next_tag(text: str, at: int) -> int:
    start = text.find("<", at)
    while start >= 0 and text.startswith("<>", start):
        start = text.find("<", start + 1)
    return start if start >= 0 and text.find(">", start) >= 0 else len(text)
