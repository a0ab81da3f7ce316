"""One evaluated sample: what a system made of one item, once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, get_args

from masrepro.bench.scoring.outcome import Outcome
from masrepro.models.model import Usage
from masrepro.runtime.trace import Trace

_NOTHING = Usage()
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Key(NamedTuple):
    """What makes a sample the same sample when a run is resumed."""

    system: str
    benchmark: str
    item_id: str
    repeat: int


@dataclass(frozen=True, slots=True)
class Sample:
    """What a system made of one item, once.

    Parameters
    ----------
    system, benchmark, item_id : str
        Who answered what.
    repeat : int
        From 0; the how-manieth answer of this system to this item.
    outcome : Outcome
        ``correct``, ``wrong``, ``unparsed`` come from the scorer; ``invalid`` (no valid orchestration),
        ``truncated``, ``limit`` (the budget) and ``error`` (a back-end failed) never reach it. ``error`` with an
        answer: the scorer itself failed.
    answer : str or None
        What the system said.
    extracted : str, tuple, or None
        What the scorer read from it.
    gold : str or tuple of str
        The truth.
    credit : float
        In [0, 1]; what the scorer gives, 0 where it was not asked.
    usage : Usage
        What the system cost: calls, tokens, US dollars (None: unknown).
    seconds : float
        Wall-clock time from design to answer, scoring not included.
    error : str or None
        Why it is ``invalid``, ``limit`` or ``error``.
    n_agents, longest_chain : int
        Size of the orchestration; 0 where there was none, or a direct answer.
    orchestration_hash, orchestration : str or None
        Its content hash, and its text in the ``calls`` notation.
    trace : Trace
        Every call that the system made, enough to score again.
    scorer : str
        What the scorer goes by; empty where none was asked, or none answered.
    notes : tuple of str
        The scorer's, such as a judge's reply.
    scoring_usage : Usage
        What scoring cost.
    rescored : bool
        Whether the run stands in an earlier record as well, and must not be counted as spent again.
    stopped : bool
        Whether the run's cost limit stopped it or kept it from starting. It then says nothing about the system, and a
        run with a higher limit tries it again.
    """

    system: str
    benchmark: str
    item_id: str
    repeat: int
    outcome: Outcome
    answer: str | None
    extracted: str | tuple[str | None, ...] | None
    gold: str | tuple[str, ...]
    credit: float = 0.0
    usage: Usage = _NOTHING
    seconds: float = 0.0
    error: str | None = None
    n_agents: int = 0
    longest_chain: int = 0
    orchestration_hash: str | None = None
    orchestration: str | None = None
    trace: Trace = field(default_factory=Trace)
    scorer: str = ""
    notes: tuple[str, ...] = ()
    scoring_usage: Usage = _NOTHING
    rescored: bool = False
    stopped: bool = False

    @property
    def measured(self) -> bool:
        """Whether it says something about the system: no back-end failed it, and no cost limit stopped it."""
        return self.outcome != "error" and not self.stopped

    @property
    def awaits_scoring(self) -> bool:
        """Whether its run is done and only the scorer failed."""
        return self.outcome == "error" and self.answer is not None

    @property
    def key(self) -> Key:
        """What makes it the same sample when a run is resumed."""
        return Key(self.system, self.benchmark, self.item_id, self.repeat)

    def to_json(self) -> str:
        """One line of ASCII: no character in a transcript can break a file of lines. Unknown cost is null."""
        record = {name: getattr(self, name) for name in self.__slots__}
        record |= usage_record(record.pop("usage"))
        record["scoring_usage"] = usage_record(record["scoring_usage"])
        record["trace"] = self.trace.to_records()
        return json.dumps(record, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> Sample:
        """The sample that gave this line.

        Raises
        ------
        ValueError
            The line is not the JSON of a sample.
        """
        record = json.loads(line)
        try:
            return _from_record(record)
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the JSON of a sample: {error!r}") from error


def usage_record(usage: Usage) -> dict[str, Any]:
    """What was spent as JSON-ready values; an unknown cost is null."""
    cost = None if usage.cost_usd is None else str(usage.cost_usd)
    return {
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost_usd": cost,
    }


def usage_of(record: Mapping[str, Any]) -> Usage:
    """The usage that gave these values, among others."""
    calls, prompt_tokens, completion_tokens, cost = (record[name] for name in usage_record(_NOTHING))
    return Usage(calls, prompt_tokens, completion_tokens, None if cost is None else Decimal(cost))


def _from_record(record: dict[str, Any]) -> Sample:
    fields = {name: value for name, value in record.items() if name not in usage_record(_NOTHING)}
    fields["usage"] = usage_of(record)
    if "scoring_usage" in fields:  # absent from records made before there were judges
        fields["scoring_usage"] = usage_of(fields["scoring_usage"])
    if fields["outcome"] not in OUTCOMES:
        raise ValueError(f"unknown outcome {fields['outcome']!r}")
    for name in ("extracted", "gold", "notes"):
        if isinstance(fields.get(name), list):
            fields[name] = tuple(fields[name])
    return Sample(**{**fields, "trace": Trace.from_records(fields["trace"])})
