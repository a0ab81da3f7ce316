r"""Where in a reply the answer stands: in ``\boxed{...}``, behind a marker such as ``Answer:``, or all of it.

Not here: what the answer means. Extraction takes whole TeX groups and never searches for something that looks
like an answer, so that a number in passing cannot be graded.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"(?P<box>\\(?:boxed|fbox)\s*\{)|(?P<group>\{)|(?P<end>\})|\\.", re.DOTALL)
_MARKER = re.compile(
    r"""
    ^ [ \t>*_\#]{0,12}
    (?: (?:the[ ])? (?:(?:final|correct)[ ])? answers?\b [*_]{0,3} \s{0,3} (?: \bis\b | \bare\b | [:=] )
      | \#{1,6} [ ]? (?:final[ ])? answers? [*_ ]{0,4} $
      | \#{4}
      | problem[ ]\d+ [*_]{0,3} [ ]? : )
    [*_ \t]{0,4} [:=]? [*_ \t]{0,4}
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


def spoken(text: str) -> str:
    """The reply behind its last ``</think>``; nothing where a ``<think>`` never ends."""
    after = text.rsplit("</think>", 1)[-1]
    return "" if "<think>" in after else after


def stated(text: str) -> str | None:
    """Where the answer stands: in the last box; without a box, behind the last marker; else all of the text.

    None where the last box is never closed.
    """
    found = boxes(text)
    if found:
        return found[-1]
    marked = after_marker(text)
    return text if marked is None else marked


def boxes(text: str) -> list[str | None]:
    r"""Content of every outermost ``\boxed{...}`` or ``\fbox{...}``, in order; None for one never closed.

    A ``\boxed`` without braces is a mention of the command, not a box.
    """
    opened: list[tuple[int, int, bool]] = []  # start, start of the content, whether it is a box
    closed: list[tuple[int, int, int]] = []  # start, start and end of the content
    for token in _TOKEN.finditer(text):
        if token["box"] or token["group"]:
            opened.append((token.start(), token.end(), token["box"] is not None))
        elif token["end"] and opened:
            start, content, is_box = opened.pop()
            if is_box:
                closed.append((start, content, token.start()))
    found: list[tuple[int, str | None]] = [(start, None) for start, _, is_box in opened if is_box]
    reached = -1
    for start, content, end in sorted(closed):
        if start > reached:
            found.append((start, text[content:end]))
            reached = end
    return [content for _, content in sorted(found, key=lambda box: box[0])]


def after_marker(text: str) -> str | None:
    """What follows the last marker that begins a line; None without one.

    Markers are ``Answer:``, ``The answer is``, GSM8K's ``####``, ``### Final Answers`` and ``Problem k:``.
    """
    markers = list(_MARKER.finditer(text))
    return text[markers[-1].end() :].strip() if markers else None
