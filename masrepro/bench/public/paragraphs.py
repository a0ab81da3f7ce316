"""HotpotQA's ``context``, in the form of its authors and in that of the hub."""

from __future__ import annotations

from typing import Any

from masrepro.bench.public.record import BadRecord, Record


def paragraphs(record: Record) -> tuple[tuple[str, str], ...]:
    """Title and text of every paragraph, in order.

    Parameters
    ----------
    record : mapping
        ``context`` is a list of ``[title, [sentence, ...]]``, or ``{"title": [...], "sentences": [[...], ...]}``.

    Raises
    ------
    BadRecord
        It is missing, empty or neither.
    """
    context = record.get("context")
    if isinstance(context, dict):
        context = _paired(context.get("title"), context.get("sentences"))
    if not isinstance(context, list) or not context or not all(map(_is_paragraph, context)):
        raise BadRecord("'context' must be a list of [title, [sentence, ...]], at least one")
    return tuple((title, " ".join(map(str.strip, sentences))) for title, sentences in context)


def _paired(titles: Any, bodies: Any) -> list[tuple[Any, Any]] | None:
    if not isinstance(titles, list) or not isinstance(bodies, list) or len(titles) != len(bodies):
        return None
    return list(zip(titles, bodies, strict=True))


def _is_paragraph(entry: Any) -> bool:
    if not isinstance(entry, list | tuple) or len(entry) != 2 or not isinstance(entry[0], str):
        return False
    return isinstance(entry[1], list) and all(isinstance(sentence, str) for sentence in entry[1])
