"""What a language model is to the rest of masrepro: messages and sampling in; text, token counts and cost out.

Not here: any particular back-end (`local`, `openai_compatible`). Everything that runs an agent depends on this module
alone, so a model is any object with the attributes of `Model`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol, runtime_checkable

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class ToolSignature:
    """A tool as a model is told of it; ``parameters`` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to have a tool called. ``arguments`` is the model's own text: JSON is meant, not promised."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Parameters
    ----------
    role : {"system", "user", "assistant", "tool"}
    content : str
    tool_calls : tuple of ToolCall
        For an assistant's turn: what it asked for.
    tool_call_id : str or None
        For a tool's turn: the call that it answers.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw a completion.

    Parameters
    ----------
    temperature : float
        0 is greedy.
    max_tokens : int
        Upper bound on completion tokens; reaching it gives ``finish="length"``.
    top_p : float
        Nucleus mass in (0, 1].
    stop : tuple of str
        The text ends before the first of these.
    seed : int or None
        Set wherever the back-end takes one.
    tools : tuple of ToolSignature
        What the model may ask for; only back-ends with native tool calls heed it.
    repeat : int
        From 0; tells draws apart that are equal in all else, so that a cache keeps each. Back-ends ignore it.
    """

    temperature: float = 0.0
    max_tokens: int = 512
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int | None = None
    tools: tuple[ToolSignature, ...] = ()
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. A model without a `Price` has unknown cost, which is never taken for 0.

    ``date`` and ``source`` say where a listed price comes from (`masrepro.models.prices`).
    """

    prompt_usd: Decimal
    completion_usd: Decimal
    date: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    def of(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """Cost in US dollars of one call, exact."""
        return (self.prompt_usd * prompt_tokens + self.completion_usd * completion_tokens) / 1_000_000


FREE = Price(Decimal(0), Decimal(0))


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent. Adding is exact; a sum that holds one unknown cost is itself unknown (``cost_usd=None``).

    ``calls`` counts requests that reached a back-end, retries included.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)

    @property
    def tokens(self) -> int:
        """Prompt plus completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost_usd + other.cost_usd if known else None,  # type: ignore[operator]
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply.

    Parameters
    ----------
    text : str
        The answer part only; may be empty where the model asks for tools.
    finish : {"stop", "length"}
        ``stop`` also where it ended with tool calls.
    usage : Usage
        What this reply cost; nothing, not even a call, where it was ``cached``.
    reasoning : str
        A back-end's separate reasoning.
    tool_calls : tuple of ToolCall
        What the model asks for, in its order.
    cached : bool
        Whether it was drawn before and kept (`masrepro.models.cache`).
    """

    text: str
    finish: Finish
    usage: Usage
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    cached: bool = False


@runtime_checkable
class Model(Protocol):
    """A language model. ``context_tokens`` bounds prompt plus completion; ``revision`` names the exact weights."""

    name: str
    revision: str
    context_tokens: int
    price: Price | None

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """Draw one completion.

        Raises
        ------
        ModelError
            One of its kinds below; never any other exception for a fault of the back-end.
        """
        ...


@dataclass(frozen=True)
class Pool(Mapping[str, Model]):
    """Named models: the L = {b_1..b_n} that MAS² assigns from. An agent without a backbone runs on ``default``."""

    models: Mapping[str, Model]
    default: str = field(default="")

    def __post_init__(self) -> None:
        if not self.models:
            raise ValueError("a pool needs at least one model")
        if not self.default:
            object.__setattr__(self, "default", next(iter(self.models)))
        if self.default not in self.models:
            raise ValueError(f"the default model {self.default!r} is not in the pool: {', '.join(self.models)}")

    @classmethod
    def of(cls, models: Pool | Model | Mapping[str, Model]) -> Pool:
        """A pool from whatever names models: a pool, a mapping, or one model."""
        if isinstance(models, Pool):
            return models
        if isinstance(models, Mapping):
            return cls(dict(models))
        return cls({models.name: models})

    def backbone(self, name: str | None) -> Model:
        """The model of that name, or the default for None. Raises KeyError that lists the known names."""
        try:
            return self.models[name or self.default]
        except KeyError:
            raise KeyError(f"no model {name!r} in the pool; it has: {', '.join(self.models)}") from None

    def __getitem__(self, name: str) -> Model:
        return self.models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)


class ModelError(Exception):
    """A back-end did not give a usable reply. ``usage`` holds what the failed attempts cost, where known."""

    def __init__(self, message: str, *, usage: Usage = Usage()) -> None:
        super().__init__(message)
        self.usage = usage


class ContextOverflow(ModelError):
    """The prompt does not fit the model's context; refused before sending, never retried."""


class RateLimited(ModelError):
    """HTTP 429 to the end of all retries."""


class Unavailable(ModelError):
    """Connection refused or cut, HTTP 5xx, or a timeout, to the end of all retries."""


class MalformedReply(ModelError):
    """The back-end answered with something that is not a completion, to the end of all retries."""


class RequestRefused(ModelError):
    """HTTP 4xx other than 429: the request itself is at fault (key, model name, parameters); never retried."""
