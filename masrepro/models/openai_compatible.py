"""A client for any server that speaks OpenAI's chat-completions protocol: a hosted API, vLLM, a server on this machine.

It keeps at most ``concurrency`` requests in flight, tries again where that can help, leaves a server alone that is
down, counts every attempt, and says in `ModelError`'s kinds what could not be had. Not here: what a request and a reply
look like (`request`, `reply`, `stream`), and connections (`endpoint`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import httpx2
import openai

from masrepro.models.breaker import Breaker
from masrepro.models.endpoint import Endpoint, Session
from masrepro.models.model import (
    Completion,
    ContextOverflow,
    Message,
    ModelError,
    Price,
    RateLimited,
    RequestRefused,
    Sampling,
    Unavailable,
    Usage,
)
from masrepro.models.reply import Counts, Failure, Reply, left_alone, read, refused, unreachable
from masrepro.models.request import estimated_tokens, request_body
from masrepro.models.stream import read_stream

_LONGEST_BACKOFF_S = 30.0
_REASON_CHARS = 300


class OpenAICompatible:
    """A model behind an HTTP endpoint, satisfying `Model`.

    Parameters
    ----------
    base_url : str
        Up to and including ``/v1``.
    model : str
        The name under which the server knows the model.
    context_tokens : int
        Bound on prompt plus completion.
    name : str or None
        The name under which a `Pool` holds it; None takes ``model``.
    revision : str
        What is known of the exact weights.
    api_key_env : str or None
        The environment variable that holds the key. None for servers that ask for none; a server on this machine
        may do without.
    price : Price or None
        None: unknown, and so is every cost.
    timeout_s : float
        Longest wait for one whole reply.
    retries : int
        Attempts after the first, on 429, 5xx, 408, time-outs, refused or cut connections and replies that are not
        completions.
    backoff_s : float
        First pause; doubled each time up to 30 s, less a random part of up to a half. ``Retry-After`` overrides it.
    longest_wait_s : float
        A ``Retry-After`` beyond this is not waited for.
    concurrency : int
        Most requests in flight from one event loop. A request that was rate-limited keeps its place while it pauses, so
        that everything behind it slows down too; after any other failure it lets others go first.
    reasoning_effort : str or None
        Passed through where set.
    max_tokens_field : {"max_tokens", "max_completion_tokens"}
        How the server calls the bound; OpenAI's reasoning models know only the second.
    sends_seed : bool
        Whether the server may be sent a seed. vLLM on a CPU dies of one as soon as it reads a prompt in parts.
    extra_body : mapping or None
        More fields for the request, such as ``{"top_k": -1}``.
    n_tokens : callable
        Tokens of a prompt, to refuse overlong ones before they are sent.
    rng : random.Random or None
        For the pauses.
    stream : bool
        Have replies sent in parts as they are written. A completion is still given whole, or not at all.
    idle_s : float
        With ``stream``: longest silence between two parts, so that a stall shows long before ``timeout_s``.
    breaker : Breaker or None
        Of the back-end; clients of one server may share one. None: one of its own.

    Notes
    -----
    What a server is told besides the messages belongs to what a reply depends on: ``revision`` names a served model of
    another name than ``name``, the effort and the extra fields too. Stream and pauses change no reply.

    ``seed`` is sent only where one is set. vLLM applies the checkpoint's own ``generation_config`` (repetition penalty,
    top-k) to whatever a request leaves open; start it with ``--generation-config vllm`` where that is not wanted.
    Attempts that failed without a token count are counted in ``usage.calls`` and in nothing else. A reply without a
    token count is estimated, and its cost unknown.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        context_tokens: int,
        name: str | None = None,
        revision: str = "as served",
        api_key_env: str | None = "OPENAI_API_KEY",
        price: Price | None = None,
        timeout_s: float = 120.0,
        retries: int = 5,
        backoff_s: float = 0.5,
        longest_wait_s: float = 120.0,
        concurrency: int = 16,
        reasoning_effort: str | None = None,
        max_tokens_field: str = "max_tokens",
        sends_seed: bool = True,
        extra_body: Mapping[str, Any] | None = None,
        n_tokens: Callable[[Sequence[Message]], int] = estimated_tokens,
        rng: Random | None = None,
        stream: bool = False,
        idle_s: float = 30.0,
        breaker: Breaker | None = None,
    ) -> None:
        extra = dict(extra_body or {}) | ({"reasoning_effort": reasoning_effort} if reasoning_effort else {})
        self.name = name or model
        self.revision = _revision(revision, self.name, model, extra)
        self.context_tokens = context_tokens
        self.price = price
        self._model = model
        self._timeout_s = timeout_s
        self._retries = retries
        self._backoff_s = backoff_s
        self._longest_wait_s = longest_wait_s
        self._max_tokens_field = max_tokens_field
        self._sends_seed = sends_seed
        self._options: dict[str, Any] = {"extra_body": extra} if extra else {}
        if stream:
            self._options |= {"stream": True, "stream_options": {"include_usage": True}}
        self._read = read_stream if stream else read
        self._n_tokens = n_tokens
        self._rng = rng or Random()
        self._breaker = breaker or Breaker()
        if retries < 0 or concurrency < 1:
            raise ValueError(f"retries is {retries} and concurrency {concurrency}; they must be at least 0 and 1")
        # Without a stream the whole reply comes at once, so only the timeout of the attempt tells a stall.
        self._silence_s = min(idle_s, timeout_s) if stream else timeout_s + 1
        timeout = httpx2.Timeout(timeout_s + 1, read=self._silence_s)
        self._endpoint = Endpoint(base_url, api_key_env, timeout, concurrency)

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._endpoint.base_url!r}, {self._model!r}, name={self.name!r})"

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """Draw one completion; `ModelError`'s kinds say what failed, and their ``usage`` what was spent by then."""
        return (await self.complete_many(messages, sampling, 1))[0]

    async def complete_many(self, messages: Sequence[Message], sampling: Sampling, n: int) -> tuple[Completion, ...]:
        """Draw several completions of one prompt, which is sent, read and paid for once if the server heeds ``n``.

        Parameters
        ----------
        messages, sampling
            As for `complete`.
        n : int
            How many. A server that gives fewer is asked again for the rest.

        Returns
        -------
        tuple of Completion
            Their ``usage`` adds up to what was spent: each request's stands with the first completion that it gave.
        """
        self._refuse_what_cannot_be_sent(messages, sampling)
        drawn: list[Completion] = []
        while len(drawn) < n:
            try:
                drawn += await self._draw(messages, sampling, n - len(drawn))
            except ModelError as error:
                error.usage = sum((completion.usage for completion in drawn), error.usage)
                raise
        return tuple(drawn)

    def _refuse_what_cannot_be_sent(self, messages: Sequence[Message], sampling: Sampling) -> None:
        n_prompt = self._n_tokens(messages) + estimated_tokens((), sampling.tools)
        if n_prompt + sampling.max_tokens > self.context_tokens:
            raise ContextOverflow(
                f"{self.name}: a prompt of about {n_prompt} tokens and max_tokens={sampling.max_tokens} do not fit its "
                f"context of {self.context_tokens} tokens; shorten the prompt or lower max_tokens"
            )
        if any("\ud800" <= character <= "\udfff" for message in messages for character in message.content):
            raise RequestRefused(f"{self.name}: the prompt holds half of a character (a lone surrogate); take it out")

    async def _draw(self, messages: Sequence[Message], sampling: Sampling, n: int) -> list[Completion]:
        """At most ``n`` completions, by one request and as many attempts at it as it takes."""
        sampling = sampling if self._sends_seed else replace(sampling, seed=None)
        body = request_body(self._model, messages, sampling, max_tokens_field=self._max_tokens_field, n=n)
        spent = Usage()
        async with self._endpoint.session() as session:
            for attempt in range(1 + self._retries):
                async with session.places:
                    outcome = await self._attempt(session, body | self._options)
                    spent += self._usage(outcome, messages)
                    if isinstance(outcome, Reply):
                        return _completions(outcome, spent, n)
                    failure = outcome
                    pause_s = max(failure.wait_s, self._pause_s(attempt))
                    if not failure.may_pass or failure.wait_s > self._longest_wait_s or attempt == self._retries:
                        break
                    if failure.kind is RateLimited:
                        await asyncio.sleep(pause_s)
                if failure.kind is not RateLimited:
                    await asyncio.sleep(pause_s)
        attempts = "1 attempt" if spent.calls == 1 else f"{spent.calls} attempts"
        reason = _cut(self._endpoint.without_key(failure.reason))
        where = f"{self.name} at {self._endpoint.base_url}"
        raise failure.kind(f"{where}: {reason} ({attempts}). {failure.advice}", usage=spent)

    async def _attempt(self, session: Session, request: Mapping[str, Any]) -> Reply | Failure:
        """One request, if the breaker lets it through."""
        admitted = await self._breaker.admit()
        if isinstance(admitted, str):
            return left_alone(admitted)
        answered: bool | None = None
        try:
            outcome = await self._sent(session.client, request)
            answered = not (isinstance(outcome, Failure) and outcome.kind is Unavailable)
            return outcome
        finally:
            self._breaker.settle(admitted, answered)

    async def _sent(self, client: openai.AsyncOpenAI, request: Mapping[str, Any]) -> Reply | Failure:
        """What goes wrong is returned, not raised: the libraries' exceptions hold the request and its key."""
        sending = client.chat.completions.with_streaming_response.create(**request)
        try:
            async with asyncio.timeout(self._timeout_s), sending as response:
                body = await response.http_response.aread()
        except TimeoutError:
            return unreachable(f"no reply within {self._timeout_s:g} s")
        except (openai.APITimeoutError, httpx2.TimeoutException):
            return unreachable(f"nothing came within {self._silence_s:g} s")
        except openai.APIStatusError as error:
            return refused(error.status_code, error.code, _said(error), error.response.headers, datetime.now(UTC))
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            return unreachable(f"the connection was refused or cut ({type(error.__cause__ or error).__name__})")
        return self._read(body.decode(errors="replace"), datetime.now(UTC))

    def _usage(self, outcome: Reply | Failure, messages: Sequence[Message]) -> Usage:
        """Of one attempt, by the server's own count."""
        if isinstance(outcome, Failure) and not outcome.sent:
            return Usage()
        if isinstance(outcome, Reply) and outcome.counts is None:
            said = [Message("assistant", each.text + each.reasoning, each.tool_calls) for each in outcome.choices]
            return Usage(1, self._n_tokens(messages), self._n_tokens(said), None)
        counts = outcome.counts or Counts(0, 0)
        cost_usd = self.price.of(counts.prompt_tokens, counts.completion_tokens) if self.price else None
        return Usage(1, counts.prompt_tokens, counts.completion_tokens, cost_usd)

    def _pause_s(self, attempt: int) -> float:
        return min(self._backoff_s * 2.0**attempt, _LONGEST_BACKOFF_S) * self._rng.uniform(0.5, 1.0)


def _completions(reply: Reply, spent: Usage, n: int) -> list[Completion]:
    usages = [spent, *[Usage()] * n]
    return [
        Completion(choice.text, choice.finish, usage, choice.reasoning, choice.tool_calls)
        for choice, usage in zip(reply.choices[:n], usages, strict=False)
    ]


def _revision(revision: str, name: str, model: str, extra: Mapping[str, Any]) -> str:
    served = [model] if model != name else []
    return "; ".join([revision, *served, *(f"{key}={json.dumps(extra[key])}" for key in sorted(extra))])


def _said(error: openai.APIStatusError) -> str:
    """The server's own words: OpenAI's ``message`` where there is one, or else whatever it sent."""
    said = error.body.get("message") if isinstance(error.body, dict) else None
    return said if isinstance(said, str) else error.response.text


def _cut(reason: str) -> str:
    return reason if len(reason) <= _REASON_CHARS else f"{reason[:_REASON_CHARS]}..."
