"""What an HTTP server's answer to a chat-completions request means: a completion, or a failure and what to do about it.

Pure: text and headers in, data out. Failures are values here, so that the client can count them and try again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from masrepro.models.model import (
    ContextOverflow,
    Finish,
    MalformedReply,
    ModelError,
    RateLimited,
    RequestRefused,
    ToolCall,
    Unavailable,
)

# As OpenAI and vLLM, llama.cpp, SGLang; Anthropic; TGI and Together say it.
_OVERLONG = re.compile(
    r"context.?(length|size|window)|(prompt|input|request) is too (long|large)|inputs?.{0,40}tokens.{0,60}must be <=",
    re.IGNORECASE,
)
_BROKEN_OFF = ("abort", "aborted", "error", "cancelled")


@dataclass(frozen=True, slots=True)
class Counts:
    """Tokens that the server says it has read and written."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One completion: its text, what the server gave as reasoning, and the tools that it asks for."""

    text: str
    reasoning: str
    finish: Finish
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server sent: at least one completion. ``counts`` is for all of them, None if the server gave none."""

    choices: tuple[Choice, ...]
    counts: Counts | None


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that gave no completion.

    Parameters
    ----------
    kind : type
        The error that it becomes if no other attempt does better.
    reason, advice : str
        What happened, with the server's own words, and what a person can do.
    may_pass : bool
        Whether the same request may succeed later.
    wait_s : float
        How long the server asks to wait, in seconds.
    counts : Counts or None
        What the attempt cost, where the server says so.
    sent : bool
        Whether it reached the server, as far as is known.
    """

    kind: type[ModelError]
    reason: str
    advice: str
    may_pass: bool = False
    wait_s: float = 0.0
    counts: Counts | None = None
    sent: bool = True


def read(body: str, now: datetime) -> Reply | Failure:
    """The completions in the body of a successful response, or why there are none.

    Parameters
    ----------
    body : str
    now : datetime
        As for `refused`.
    """
    try:
        sent = json.loads(body)
    except ValueError:
        return malformed(f"the reply is not JSON: {body!r}")
    return understood(sent, now)


def understood(sent: Any, now: datetime) -> Reply | Failure:
    """`read`, of the JSON itself."""
    counts = _counts(sent.get("usage")) if isinstance(sent, dict) else None
    match sent:
        case {"error": {"code": int() as status, "message": str() as said}} if status >= 400 and "choices" not in sent:
            # Routers in front of several servers pass on an error in a response that succeeded.
            return refused(status, None, said, {}, now)
        case {"choices": [_, *_] as choices}:
            ended = {choice.get("finish_reason") for choice in choices if isinstance(choice, dict)}
            if "content_filter" in ended:
                reason, advice = "the provider's content filter stopped the reply", "Change the prompt, or the model."
                return Failure(RequestRefused, reason, advice, counts=counts)
            if not ended.isdisjoint(_BROKEN_OFF):
                return unreachable(f"the server broke the reply off ({', '.join(map(str, ended))})", counts=counts)
            try:
                return Reply(tuple(map(_choice, choices)), counts)
            except _NotACompletion:
                pass
    return malformed(f"the reply holds no completion: {json.dumps(sent)}", counts)


def refused(status: int, code: str | None, said: str, headers: Mapping[str, str], now: datetime) -> Failure:
    """What an HTTP status other than success means.

    Parameters
    ----------
    status : int
        HTTP status.
    code, said : str
        The ``code`` and ``message`` of the error in the body, where there is one.
    headers : mapping
        Of the response, keys in lower case.
    now : datetime
        Aware; for a ``Retry-After`` that is a date.
    """
    reason = f"HTTP {status}" + (f": {said}" if said else "")
    wait_s = retry_after_s(headers, now)
    match status:
        case 429 if code == "insufficient_quota":
            return Failure(RateLimited, reason, "The account's quota is used up: top it up, or use another key.")
        case 429:
            reason += f"; it asks to wait {wait_s:g} s" if wait_s else ""
            advice = "Lower concurrency, or raise retries and longest_wait_s."
            return Failure(RateLimited, reason, advice, may_pass=True, wait_s=wait_s)
        case 401 | 403:
            return Failure(RequestRefused, reason, "Check the key in the environment variable that api_key_env names.")
        case 404:
            return Failure(RequestRefused, reason, "Check the model's name and base_url.")
        case 400 | 413 | 422 if code == "context_length_exceeded" or _OVERLONG.search(said):
            advice = "Shorten the prompt or lower max_tokens; set context_tokens to what the server takes."
            return Failure(ContextOverflow, reason, advice)
    if status == 408 or status >= 500:
        return unreachable(reason, wait_s)
    return Failure(RequestRefused, reason, "Change the request as the server says.")


def unreachable(reason: str, wait_s: float = 0.0, counts: Counts | None = None) -> Failure:
    """The server could not be reached, broke down or took too long."""
    advice = "Check that the server is up and that base_url is right; raise timeout_s or retries if it is slow."
    return Failure(Unavailable, reason, advice, may_pass=True, wait_s=wait_s, counts=counts)


def left_alone(reason: str) -> Failure:
    """Nothing was sent, because the server is taken to be down."""
    return Failure(Unavailable, reason, "Check that the server is up; then run the same command again.", sent=False)


def malformed(reason: str, counts: Counts | None = None) -> Failure:
    """The server answered with something that is not a completion."""
    advice = "Check that base_url ends in the path of an OpenAI-compatible API, usually /v1, and read the server's log."
    return Failure(MalformedReply, reason, advice, may_pass=True, counts=counts)


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float:
    """Seconds that ``Retry-After`` asks for, given as a number or as a date; 0 if it asks for none."""
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(asked) - now).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return seconds if seconds > 0 else 0.0


class _NotACompletion(Exception):
    pass


def _choice(sent: Any) -> Choice:
    match sent:
        case {"message": dict() as message, "finish_reason": ended}:
            calls = tuple(_tool_call(call, number) for number, call in enumerate(message.get("tool_calls") or ()))
            text, reasoning = message.get("content"), message.get("reasoning_content") or message.get("reasoning")
            is_there = "content" in message or calls or reasoning
            if is_there and isinstance(text, str | None):
                said = text or message.get("refusal") or ""
                finish: Finish = "length" if ended == "length" else "stop"
                return Choice(said, reasoning if isinstance(reasoning, str) else "", finish, calls)
    raise _NotACompletion


def _tool_call(sent: Any, number: int) -> ToolCall:
    match sent:
        case {"function": {"name": str() as name, "arguments": str() | dict() as arguments}}:
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            return ToolCall(str(sent.get("id") or f"call_{number}"), name, text)
    raise _NotACompletion


def _counts(usage: Any) -> Counts | None:
    match usage:
        case {"prompt_tokens": int() as prompt, "completion_tokens": int() as completion}:
            return Counts(prompt, completion)
    return None
