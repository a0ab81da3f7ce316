"""The part of a model's reply that is meant: without the thinking before it and the fence around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from masrepro.orchestration.errors import OrchestrationError

MAX_CHARS = 1_000_000
LINE_END = re.compile(r"\r\n|\r|\n")
_THINKING = re.compile(r"\s*<(think|thinking)>")
_THINKING_END = re.compile(r"</(?:think|thinking)>")
_FENCE = re.compile(r"\s*(`{3,})[^`\r\n]*(?:\r\n|\r|\n)")
_OPENING = re.compile(r"\s*(?:[<\[{#]|(?:create_agent|create_flow|answer)\s*\()")


@dataclass(frozen=True, slots=True)
class Body:
    """A slice of a reply that remembers where it lies.

    Parameters
    ----------
    text : str
        The slice itself.
    reply : str
        The whole reply.
    start : int
        Offset of the slice in the reply, in characters.
    """

    text: str
    reply: str
    start: int

    def place(self, offset: int) -> str:
        """ "line 3, column 5" of an offset into the slice, counted from 1 in the whole reply."""
        before = self.reply[: self.start + max(offset, 0)]
        ends = list(LINE_END.finditer(before))
        column = len(before) - (ends[-1].end() if ends else 0) + 1
        return f"line {len(ends) + 1}, column {column}"

    def error(self, rule: str, what: str, offset: int, hint: str, of: str = "") -> OrchestrationError:
        """An error at an offset; `of` names the agent or flow it belongs to, where that is known."""
        return OrchestrationError(rule, what, f"{self.place(offset)}, {of}" if of else self.place(offset), hint)


def body_of(reply: str) -> Body:
    """Cut off what a reply may carry around its answer.

    Tolerated are thinking blocks in front (``<think>`` or ``<thinking>``), one fence around the rest, and the
    end of a thinking block whose beginning was part of the prompt. Nothing in a thinking block is ever read
    as an agent.

    Raises
    ------
    OrchestrationError
        The reply is too long or empty; thinking or fence is not closed.
    """
    check_length(reply)
    whole = Body(reply, reply, 0)
    start = _after_thinking(whole, 0)
    end = len(reply)
    if fence := _FENCE.match(reply, start):
        end = _fence_end(whole, fence)
        start = _after_thinking(whole, fence.end())
    if not reply[start:end].strip():
        raise whole.error("nothing-built", "there is no text", start, "Create at least one agent, or answer directly.")
    return Body(reply[start:end], reply, start)


def check_length(reply: str) -> None:
    """Refuse a reply of more than `MAX_CHARS` characters with an OrchestrationError."""
    if len(reply) > MAX_CHARS:
        what = f"the text has {len(reply):,} characters"
        raise OrchestrationError("too-long", what, "the whole text", f"Write at most {MAX_CHARS:,}.")


def _after_thinking(whole: Body, start: int) -> int:
    while True:
        if thinking := _THINKING.match(whole.text, start):
            start = _thinking_end(whole, thinking)
            continue
        begins_here = _OPENING.match(whole.text, start) or _FENCE.match(whole.text, start)
        headless = None if begins_here else _THINKING_END.search(whole.text, start)
        if headless is None:
            return start
        start = headless.end()


def _thinking_end(whole: Body, thinking: re.Match[str]) -> int:
    closing = f"</{thinking[1]}>"
    end = whole.text.find(closing, thinking.end())
    if end < 0:
        raise whole.error(
            "unclosed-thinking",
            f"<{thinking[1]}> is never closed, so everything after it is thinking",
            thinking.start(1) - 1,
            f"Close it with {closing} and write the orchestration after that.",
        )
    return end + len(closing)


def _fence_end(whole: Body, fence: re.Match[str]) -> int:
    end = len(whole.text.rstrip())
    n_ticks = len(fence[1])
    closing = whole.text[end - n_ticks : end]
    if closing != fence[1] or end - n_ticks < fence.end():
        raise whole.error(
            "unclosed-fence",
            f"the fence {fence[1]} is not closed at the end of the text",
            fence.start(1),
            f"End with {fence[1]} on a line of its own and write nothing after it, or use no fence.",
        )
    return end - n_ticks
