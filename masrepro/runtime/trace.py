"""What happened in a run, in the order in which it ended: an append-only log of spans.

Enough to redraw the run and to score it again without a model call. A trace says nothing of the run's verdict
(`run`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from masrepro.models.model import Finish, Message, ToolCall, Usage

Kind = Literal["agent", "call", "tool", "repair"]

NOTHING = Usage()

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


@dataclass(frozen=True, slots=True)
class Span:
    """One thing that took time: an agent's act, a call that it made, a tool that it used, or a repair of the system.

    Parameters
    ----------
    id : int
        Unique in its trace; spans are numbered in the order in which they began.
    parent : int or None
        The agent or repair span in which a call was made or a tool used; None for an agent, for a repair, and for a
        call of one who builds the system while it runs (`masrepro.runtime.growing.BUILDER`).
    agent : str
        Id of the agent that caused it; that of a repair is no agent's (`masrepro.runtime.rectifier.RECTIFIER`).
    kind : {"agent", "call", "tool", "repair"}
        An agent's act is there for its times and output; its calls carry what was spent. A tool spends nothing. For a
        repair ``arguments`` is the system before and ``text`` the one after, as calls, and ``reasoning`` is why.
    model : str or None
        Name of the model that was called; None for the other kinds.
    start_s, end_s : float
        Seconds since the run began, to the microsecond. A call starts when it is handed to the model.
    usage : Usage
        What this span itself spent, never what its children spent: the spans of a trace add up to the run.
        A call that was cut off counts as one call without tokens, of unknown cost unless the model is free.
    inputs : tuple of str
        For an agent, the upstream agents whose outputs it was given.
    messages : tuple of Message
        For a call, what was sent.
    max_tokens : int or None
        For a call, the completion tokens granted, after the budget.
    text : str or None
        A call's reply, an agent's answer, or the beginning of a tool's result; None when there was none.
    reasoning : str
        A call's separate reasoning, or an agent's rationale.
    finish : {"stop", "length"} or None
        How the reply ended; None when none came.
    error : str or None
        Why it failed, ``"cancelled"`` when the run ended first, None when it did not fail. A tool's failure begins
        with its kind.
    tool : str or None
        Name of the tool that was used; None for the other kinds.
    arguments : str
        What the tool was given, as JSON, cut where it is long.
    tool_calls : tuple of ToolCall
        For a call, the tools that the reply asks for natively.
    cached : bool
        For a call, whether the reply was drawn before and kept.
    attempt : int
        Which attempt of a run that is repaired, from 0; a repair belongs to the attempt that it follows.
    """

    id: int
    parent: int | None
    agent: str
    kind: Kind
    model: str | None
    start_s: float
    end_s: float
    usage: Usage = NOTHING
    inputs: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    max_tokens: int | None = None
    text: str | None = None
    reasoning: str = ""
    finish: Finish | None = None
    error: str | None = None
    tool: str | None = None
    arguments: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    cached: bool = False
    attempt: int = 0


class Trace:
    """An append-only log of spans."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._spans = list(spans)

    def append(self, span: Span) -> None:
        """Record a span that has ended."""
        self._spans.append(span)

    @property
    def spans(self) -> tuple[Span, ...]:
        """All spans, in the order in which they ended."""
        return tuple(self._spans)

    @property
    def usage(self) -> Usage:
        """What all spans spent together, exact."""
        return sum((span.usage for span in self._spans), NOTHING)

    def usage_of(self, agent: str) -> Usage:
        """What one agent spent, exact."""
        return sum((span.usage for span in self._spans if span.agent == agent), NOTHING)

    def to_records(self) -> list[dict[str, Any]]:
        """One JSON-ready dict per span; costs are decimal strings, an unknown cost is null."""
        return [_to_record(span) for span in self._spans]

    @classmethod
    def from_records(cls, records: Iterable[dict[str, Any]]) -> Trace:
        """The trace that gave these records, without loss."""
        return cls(_from_record(record) for record in records)

    def to_json(self) -> str:
        """The records as one line of ASCII, so that no character of a transcript can break the line."""
        return _encode(self.to_records())

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """The trace that gave this JSON, without loss.

        Raises
        ------
        ValueError
            The text is not the JSON of a trace.
        """
        records = json.loads(text)
        try:
            return cls.from_records(records)
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the JSON of a trace: {error!r}") from error

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self._spans)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self._spans == other._spans

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Trace({len(self)} spans, {self.usage})"


def _to_record(span: Span) -> dict[str, Any]:
    usage = span.usage
    record: dict[str, Any] = {
        "id": span.id,
        "parent": span.parent,
        "agent": span.agent,
        "kind": span.kind,
        "model": span.model,
        "start_s": span.start_s,
        "end_s": span.end_s,
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost_usd": None if usage.cost_usd is None else str(usage.cost_usd),
        "inputs": span.inputs,
        "messages": [_to_message_record(message) for message in span.messages],
        "max_tokens": span.max_tokens,
        "text": span.text,
        "reasoning": span.reasoning,
        "finish": span.finish,
        "error": span.error,
    }
    if span.kind in ("tool", "repair"):
        record |= {"tool": span.tool, "arguments": span.arguments}
    if span.tool_calls:
        record["tool_calls"] = [_to_call_record(asked) for asked in span.tool_calls]
    if span.cached:
        record["cached"] = True
    if span.attempt:
        record["attempt"] = span.attempt
    return record


def _to_message_record(message: Message) -> dict[str, Any]:
    record: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        record["tool_calls"] = [_to_call_record(asked) for asked in message.tool_calls]
    if message.tool_call_id is not None:
        record["tool_call_id"] = message.tool_call_id
    return record


def _to_call_record(asked: ToolCall) -> dict[str, str]:
    return {"id": asked.id, "name": asked.name, "arguments": asked.arguments}


def _from_record(record: dict[str, Any]) -> Span:
    fields = dict(record)
    cost = fields.pop("cost_usd")
    usage = Usage(
        fields.pop("calls"),
        fields.pop("prompt_tokens"),
        fields.pop("completion_tokens"),
        None if cost is None else Decimal(cost),
    )
    inputs = tuple(fields.pop("inputs"))
    messages = tuple(
        Message(**{**message, "tool_calls": _calls(message.get("tool_calls", ()))})
        for message in fields.pop("messages")
    )
    tool_calls = _calls(fields.pop("tool_calls", ()))
    return Span(usage=usage, inputs=inputs, messages=messages, tool_calls=tool_calls, **fields)


def _calls(records: Iterable[dict[str, str]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(**record) for record in records)
