"""One agent's lines to its backbone and its tools: every call is admitted by the meter, and every call and use is
written into the trace.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Unpack

from masrepro.agents.agent import SamplingChange
from masrepro.models.model import Completion, Message, Model, ModelError, Sampling, Usage
from masrepro.runtime.budget import Meter
from masrepro.runtime.trace import Span, Trace
from masrepro.tools.tool import Arguments, Tool, ToolFailure, ToolResult

CANCELLED = "cancelled"
TRACED_CHARS = 8_000  # of a tool's arguments and of its result in the trace; five hits of a search fit


@dataclass(slots=True)
class Log:
    """A run's trace while it grows, with the run's clock, the next free span id, and the attempt that is under way."""

    trace: Trace
    clock: Callable[[], float]
    began: float
    n_spans: int = 0
    attempt: int = 0

    def now_s(self) -> float:
        """Seconds since the run began, to the microsecond."""
        return round(self.clock() - self.began, 6)

    def next_id(self) -> int:
        """A span id that was not given before."""
        self.n_spans += 1
        return self.n_spans - 1


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A `masrepro.agents.Call` on behalf of one agent, in the act that ``span`` stands for."""

    agent: str
    span: int | None
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
                    tool_calls=completion.tool_calls if completion else (),
                    cached=completion is not None and completion.cached,
                    attempt=self.log.attempt,
                )
            )


@dataclass(frozen=True, slots=True)
class RecordedTool:
    """A `masrepro.tools.Tool` in the hands of one agent, under the name by which the run knows it.

    A use that takes longer than ``timeout_s`` seconds is ended, as a failure like any other. What came of it is added
    to ``uses``.
    """

    name: str
    agent: str
    span: int
    tool: Tool
    timeout_s: float
    log: Log
    uses: list[ToolResult]

    @property
    def description(self) -> str:
        """The tool's own."""
        return self.tool.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The tool's own."""
        return self.tool.parameters

    async def use(self, arguments: Arguments) -> ToolResult:
        """Use it once and write it down; see `masrepro.tools.Tool`."""
        id, start_s = self.log.next_id(), self.log.now_s()
        result, error = None, None
        try:
            result = await self._used(arguments)
            error = str(result.failure) if result.failure else None
            result = replace(result, tool=self.name, seconds=self.log.now_s() - start_s)
            self.uses.append(result)
            return result
        except BaseException as failure:
            error = describe(failure)
            raise
        finally:
            self.log.trace.append(
                Span(
                    id=id,
                    parent=self.span,
                    agent=self.agent,
                    kind="tool",
                    model=None,
                    start_s=start_s,
                    end_s=self.log.now_s(),
                    text=result.text[:TRACED_CHARS] if result else None,
                    error=error,
                    tool=self.name,
                    arguments=json.dumps(arguments, default=str)[:TRACED_CHARS],
                    attempt=self.log.attempt,
                )
            )

    async def _used(self, arguments: Arguments) -> ToolResult:
        try:
            async with asyncio.timeout(self.timeout_s) as timeout:
                return await self.tool.use(arguments)
        except TimeoutError:
            if not timeout.expired():
                raise
            return ToolResult(self.name, "", ToolFailure("timeout", f"no result within {self.timeout_s:g} s"))


def describe(failure: BaseException) -> str:
    """An exception as the trace words it."""
    if isinstance(failure, asyncio.CancelledError):
        return CANCELLED
    return f"{type(failure).__name__}: {failure}"


def _cut_off(model: Model) -> Usage:
    """What is known of a call that was cut off: it was made, and it was free only if the model is."""
    free = model.price is not None and not (model.price.prompt_usd or model.price.completion_usd)
    return Usage(calls=1, cost_usd=Decimal(0) if free else None)
