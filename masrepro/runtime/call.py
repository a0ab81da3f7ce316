"""One agent's line to its backbone: every call is admitted by the meter and written into the trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Unpack

from masrepro.agents.agent import SamplingChange
from masrepro.models.model import Completion, Message, Model, ModelError, Sampling, Usage
from masrepro.runtime.budget import Meter
from masrepro.runtime.trace import Span, Trace

CANCELLED = "cancelled"


@dataclass(slots=True)
class Log:
    """A run's trace while it grows, with the run's clock and the next free span id."""

    trace: Trace
    clock: Callable[[], float]
    began: float
    n_spans: int = 0

    def now_s(self) -> float:
        """Seconds since the run began, to the microsecond."""
        return round(self.clock() - self.began, 6)

    def next_id(self) -> int:
        """A span id that was not given before."""
        self.n_spans += 1
        return self.n_spans - 1


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A `masrepro.agents.Call` on behalf of one agent."""

    agent: str
    span: int
    model: Model
    sampling: Sampling
    meter: Meter
    log: Log

    async def __call__(self, messages: Sequence[Message], **change: Unpack[SamplingChange]) -> Completion:
        """Draw a completion; see `masrepro.agents.Call`."""
        sampling = replace(self.sampling, **change) if change else self.sampling
        granted = await self.meter.admit(sampling.max_tokens)
        if granted < sampling.max_tokens:
            sampling = replace(sampling, max_tokens=granted)
        id, start_s = self.log.next_id(), self.log.now_s()
        completion, error, usage = None, None, Usage()
        try:
            completion = await self.model.complete(messages, sampling)
            usage = completion.usage
            return completion
        except ModelError as failure:
            error, usage = describe(failure), failure.usage
            raise
        except BaseException as failure:
            error, usage = describe(failure), _cut_off(self.model)
            raise
        finally:
            self.meter.settle(granted, usage)
            self.log.trace.append(
                Span(
                    id=id,
                    parent=self.span,
                    agent=self.agent,
                    kind="call",
                    model=self.model.name,
                    start_s=start_s,
                    end_s=self.log.now_s(),
                    usage=usage,
                    messages=tuple(messages),
                    max_tokens=granted,
                    text=completion.text if completion else None,
                    reasoning=completion.reasoning if completion else "",
                    finish=completion.finish if completion else None,
                    error=error,
                )
            )


def describe(failure: BaseException) -> str:
    """An exception as the trace words it."""
    if isinstance(failure, asyncio.CancelledError):
        return CANCELLED
    return f"{type(failure).__name__}: {failure}"


def _cut_off(model: Model) -> Usage:
    """What is known of a call that was cut off: it was made, and it was free only if the model is."""
    free = model.price is not None and not (model.price.prompt_usd or model.price.completion_usd)
    return Usage(calls=1, cost_usd=Decimal(0) if free else None)
