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

from masrepro.models.model import Finish, Message, Usage

Kind = Literal["agent", "call"]

NOTHING = Usage()

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


@dataclass(frozen=True, slots=True)
class Span:
    """One thing that took time: an agent's act, or a call that it made.

    Parameters
    ----------
    id : int
        Unique in its trace; spans are numbered in the order in which they began.
    parent : int or None
        The agent span in which a call was made; None for an agent.
    agent : str
        Id of the agent that caused it.
    kind : {"agent", "call"}
        An agent's act is there for its times and output; its calls carry what was spent.
    model : str or None
        Name of the model that was called; None for an agent.
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
        A call's reply, or an agent's answer; None when there was none.
    reasoning : str
        A call's separate reasoning, or an agent's rationale.
    finish : {"stop", "length"} or None
        How the reply ended; None when none came.
    error : str or None
        Why it failed, ``"cancelled"`` when the run ended first, None when it did not fail.
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
    return {
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
        "messages": [{"role": message.role, "content": message.content} for message in span.messages],
        "max_tokens": span.max_tokens,
        "text": span.text,
        "reasoning": span.reasoning,
        "finish": span.finish,
        "error": span.error,
    }


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
    messages = tuple(Message(**message) for message in fields.pop("messages"))
    return Span(usage=usage, inputs=inputs, messages=messages, **fields)
