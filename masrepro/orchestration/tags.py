"""Tags, one after the other: the grammar below the ``xml`` notation, simpler than XML and stricter."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from masrepro.orchestration.body import Body
from masrepro.orchestration.errors import OrchestrationError

_TAG = re.compile(r"\s*<(/?)([A-Za-z_]+)>")
_CDATA = "<![CDATA["
_CDATA_END = "]]>"


class Tag(NamedTuple):
    """An opening tag and its offset."""

    name: str
    start: int


class Content(NamedTuple):
    """What stands in a tag, where that starts, and whether CDATA marks it as verbatim."""

    text: str
    start: int
    verbatim: bool


@dataclass(slots=True)
class Scanner:
    """A position in a body that moves from tag to tag.

    Parameters
    ----------
    body : Body
        The text.
    at : int
        Offset of what comes next.
    """

    body: Body
    at: int = 0

    def opening(self, inside: Tag | None, allowed: Collection[str]) -> Tag | None:
        """Step over the next opening tag; None after the closing tag of `inside`, or at the end of the text.

        Raises
        ------
        OrchestrationError
            There is text, a tag that is not allowed or one that closes something else, or the text ends too
            early.
        """
        tag = _TAG.match(self.body.text, self.at)
        if tag is None:
            self._check_end(inside)
            return None
        start = tag.start(1) - 1
        if tag[1]:
            if inside is None or tag[2] != inside.name:
                expected = f"<{inside.name}> is open" if inside else "nothing is open"
                hint = f"Close <{inside.name}> with </{inside.name}>." if inside else "Take it out, or open it before."
                raise self.body.error("unmatched-tag", f"</{tag[2]}> comes while {expected}", start, hint)
            self.at = tag.end()
            return None
        if tag[2] not in allowed:
            place = f"in <{inside.name}>" if inside else "here"
            hint = f"Allowed {place}: {', '.join(f'<{name}>' for name in allowed)}."
            raise self.body.error("unknown-tag", f"<{tag[2]}> has no place {place}", start, hint)
        self.at = tag.end()
        return Tag(tag[2], start)

    def content(self, tag: Tag, never_in: re.Pattern[str]) -> Content:
        """Step over text and closing tag.

        Raises
        ------
        OrchestrationError
            The tag is not closed, or only after a tag that its text never holds.
        """
        start = self.at
        if self.body.text.startswith(_CDATA, start):
            return self._verbatim(tag, start)
        text = self.body.text[start : self._closing(tag, start)]
        if "<" in text and (odd := never_in.search(text)):
            raise self.body.error(
                "unclosed-tag",
                f"<{tag.name}> is not closed before {odd[0]}",
                start + odd.start(),
                f"Write </{tag.name}> before it. A text that has to hold {odd[0]} goes into <![CDATA[...]]>.",
            )
        return Content(text, start, False)

    def skip(self, tag: Tag) -> None:
        """Step over whatever stands in a tag."""
        self._closing(tag, self.at)

    def _closing(self, tag: Tag, start: int) -> int:
        end = self.body.text.find(f"</{tag.name}>", start)
        if end < 0:
            raise self._unclosed(tag)
        self.at = end + len(tag.name) + 3
        return end

    def _verbatim(self, tag: Tag, start: int) -> Content:
        parts = []
        at = start
        while self.body.text.startswith(_CDATA, at):
            end = self.body.text.find(_CDATA_END, at)
            if end < 0:
                raise self.body.error("unclosed-tag", "<![CDATA[ is never closed", at, "Close it with ]]>.")
            parts.append(self.body.text[at + len(_CDATA) : end])
            at = end + len(_CDATA_END)
        if self._closing(tag, at) != at:
            what = f"there is text between ]]> and </{tag.name}>"
            raise self.body.error("stray-text", what, at, "Put the whole text inside <![CDATA[...]]>.")
        return Content("".join(parts), start, True)

    def _check_end(self, inside: Tag | None) -> None:
        rest = self.body.text[self.at :]
        start = self.at + len(rest) - len(rest.lstrip())
        if not rest.strip():
            if inside is None:
                return
            raise self._unclosed(inside)
        word = rest.split(maxsplit=1)[0][:30]
        place = f"in <{inside.name}>, outside of its fields" if inside else "outside of any tag"
        raise self.body.error(
            "stray-text",
            f"there is text {place}: {word!r}",
            start,
            "Take it out; reasoning goes into <thinking>.",
        )

    def _unclosed(self, tag: Tag) -> OrchestrationError:
        return self.body.error(
            "unclosed-tag", f"<{tag.name}> is never closed", tag.start, f"Close it with </{tag.name}>."
        )


def verbatim(text: str) -> str:
    """The text as CDATA, which a `Scanner` gives back unchanged."""
    return f"{_CDATA}{text.replace(_CDATA_END, ']]]]><![CDATA[>')}{_CDATA_END}"


def is_marked(text: str) -> bool:
    """Whether a text begins like CDATA, and so has to be written as such."""
    return text.startswith(_CDATA)
