"""A client for any server that speaks OpenAI's chat-completions protocol: a hosted API, vLLM, a server on this machine.

It keeps at most ``concurrency`` requests in flight, tries again where that can help, counts every attempt, and says in
`ModelError`'s kinds what could not be had. The key is read from the environment when a connection is made and is never
kept, shown or logged. Not here: streaming and tool calls.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from random import Random
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from masrepro.models.model import Completion, ContextOverflow, Message, Price, Sampling, Usage
from masrepro.models.reply import Counts, Failure, Reply, read, refused, unreachable

_LONGEST_BACKOFF_S = 30.0
_REASON_CHARS = 300


def estimated_tokens(messages: Sequence[Message]) -> int:
    """A low estimate of a prompt's tokens: a quarter of its UTF-8 bytes, plus four for each message.

    English runs at about four bytes a token, code and digits at fewer. Being low, it refuses nothing that fits; what it
    lets through by mistake the server refuses, which is reported in the same way.
    """
    return sum(math.ceil(len(message.content.encode()) / 4) + 4 for message in messages)


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
        Most requests in flight from one event loop. A request keeps its place while it pauses, so that a rate limit
        slows down everything behind it too.
    reasoning_effort : str or None
        Passed through where set.
    max_tokens_field : {"max_tokens", "max_completion_tokens"}
        How the server calls the bound; OpenAI's reasoning models know only the second.
    extra_body : mapping or None
        More fields for the request, such as ``{"top_k": -1}``.
    n_tokens : callable
        Tokens of a prompt, to refuse overlong ones before they are sent.
    rng : random.Random or None
        For the pauses.

    Notes
    -----
    ``seed`` is sent only where one is set: vLLM on a CPU dies of seeds in large batches. vLLM also applies the
    checkpoint's own ``generation_config`` (repetition penalty, top-k) to whatever a request leaves open; start it with
    ``--generation-config vllm`` where that is not wanted. Attempts that failed without a token count are counted in
    ``usage.calls`` and in nothing else. A reply without a token count is estimated, and its cost unknown.
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
        extra_body: Mapping[str, Any] | None = None,
        n_tokens: Callable[[Sequence[Message]], int] = estimated_tokens,
        rng: Random | None = None,
    ) -> None:
        self.name = name or model
        self.revision = revision
        self.context_tokens = context_tokens
        self.price = price
        self._base_url = _checked_url(base_url)
        self._model = model
        self._api_key_env = api_key_env
        self._timeout_s = timeout_s
        self._retries = retries
        self._backoff_s = backoff_s
        self._longest_wait_s = longest_wait_s
        self._concurrency = concurrency
        self._max_tokens_field = max_tokens_field
        self._extra_body = dict(extra_body or {}) | ({"reasoning_effort": reasoning_effort} if reasoning_effort else {})
        self._n_tokens = n_tokens
        self._rng = rng or Random()
        self._sessions: dict[asyncio.AbstractEventLoop, _Session] = {}
        if retries < 0 or concurrency < 1:
            raise ValueError(f"retries is {retries} and concurrency {concurrency}; they must be at least 0 and 1")
        if not self._key() and api_key_env and not _is_loopback(self._base_url):
            raise ValueError(
                f"no API key for {self._base_url}: set the environment variable {api_key_env}, or name another one in "
                "api_key_env (None for a server that asks for no key); keys never go into params or notebooks"
            )
        if not (self._key().isascii() and self._key().isprintable()):
            raise ValueError(
                f"the environment variable {api_key_env} holds characters that no API key has; set it anew"
            )

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._base_url!r}, {self._model!r}, name={self.name!r})"

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """Draw one completion; `ModelError`'s kinds say what failed, and their ``usage`` what was spent by then."""
        n_prompt = self._n_tokens(messages)
        if n_prompt + sampling.max_tokens > self.context_tokens:
            raise ContextOverflow(
                f"{self.name}: a prompt of about {n_prompt} tokens and max_tokens={sampling.max_tokens} do not fit its "
                f"context of {self.context_tokens} tokens; shorten the prompt or lower max_tokens"
            )
        spent = Usage()
        async with self._place() as client:
            for attempt in range(1 + self._retries):
                outcome = await self._attempt(client, messages, sampling)
                spent += self._usage(outcome, messages)
                if isinstance(outcome, Reply):
                    return Completion(outcome.text, outcome.finish, spent, outcome.reasoning)
                failure = outcome
                if not failure.may_pass or failure.wait_s > self._longest_wait_s or attempt == self._retries:
                    break
                await asyncio.sleep(max(failure.wait_s, self._pause_s(attempt)))
        attempts = "1 attempt" if spent.calls == 1 else f"{spent.calls} attempts"
        reason = _cut(self._without_key(failure.reason))
        raise failure.kind(f"{self.name} at {self._base_url}: {reason} ({attempts}). {failure.advice}", usage=spent)

    async def _attempt(
        self, client: openai.AsyncOpenAI, messages: Sequence[Message], sampling: Sampling
    ) -> Reply | Failure:
        """One request. What goes wrong is returned, not raised: the SDK's exceptions hold the request and its key."""
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await client.chat.completions.with_raw_response.create(**self._request(messages, sampling))
        except (TimeoutError, openai.APITimeoutError):
            return unreachable(f"no reply within {self._timeout_s:g} s")
        except openai.APIStatusError as error:
            return refused(error.status_code, error.code, _said(error), error.response.headers, datetime.now(UTC))
        except openai.OpenAIError as error:
            return unreachable(f"the connection was refused or cut ({type(error.__cause__ or error).__name__})")
        return read(response.text)

    def _usage(self, outcome: Reply | Failure, messages: Sequence[Message]) -> Usage:
        """Of one attempt, by the server's own count."""
        if isinstance(outcome, Reply) and outcome.counts is None:
            said = Message("assistant", outcome.text + outcome.reasoning)
            return Usage(1, self._n_tokens(messages), self._n_tokens([said]), None)
        counts = outcome.counts or Counts(0, 0)
        cost_usd = self.price.of(counts.prompt_tokens, counts.completion_tokens) if self.price else None
        return Usage(1, counts.prompt_tokens, counts.completion_tokens, cost_usd)

    def _request(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        optional = {"stop": list(sampling.stop) or None, "seed": sampling.seed, "extra_body": self._extra_body or None}
        return {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            self._max_tokens_field: sampling.max_tokens,
            **{key: value for key, value in optional.items() if value is not None},
        }

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[openai.AsyncOpenAI]:
        """A place among the requests in flight. Connections live as long as anybody on this event loop uses them."""
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None:
            session = self._sessions[loop] = _Session(self._client(), asyncio.Semaphore(self._concurrency))
        session.n_users += 1
        try:
            async with session.places:
                yield session.client
        finally:
            session.n_users -= 1
            if not session.n_users:
                del self._sessions[loop]
                await session.client.close()

    def _client(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._key() or "none",
            timeout=self._timeout_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                verify=_tls(),
                trust_env=not _is_loopback(self._base_url),
                limits=httpx2.Limits(max_keepalive_connections=self._concurrency),
            ),
        )

    def _key(self) -> str:
        return os.environ.get(self._api_key_env, "").strip() if self._api_key_env else ""

    def _without_key(self, text: str) -> str:
        """Some servers repeat a wrong key in their reply."""
        key = self._key()
        return text.replace(key, "***") if key else text

    def _pause_s(self, attempt: int) -> float:
        return min(self._backoff_s * 2.0**attempt, _LONGEST_BACKOFF_S) * self._rng.uniform(0.5, 1.0)


@dataclass(slots=True)
class _Session:
    client: openai.AsyncOpenAI
    places: asyncio.Semaphore
    n_users: int = 0


@cache
def _tls() -> SSLContext:
    """Made once: reading the certificates takes longer than a request to a server nearby."""
    return httpx2.create_ssl_context()


def _said(error: openai.APIStatusError) -> str:
    """The server's own words: OpenAI's ``message`` where there is one, or else whatever it sent."""
    said = error.body.get("message") if isinstance(error.body, dict) else None
    return said if isinstance(said, str) else error.response.text


def _cut(reason: str) -> str:
    return reason if len(reason) <= _REASON_CHARS else f"{reason[:_REASON_CHARS]}..."


def _checked_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url is {base_url!r}; it should look like http://127.0.0.1:8000/v1")
    if parts.username or parts.password:
        raise ValueError("base_url holds a user name or password; put the key into the environment (api_key_env)")
    return base_url.rstrip("/")


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
