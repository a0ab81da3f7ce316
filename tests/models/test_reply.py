"""What a server's answer is taken for."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from masrepro.models import (
    ContextOverflow,
    MalformedReply,
    ModelError,
    RateLimited,
    RequestRefused,
    ToolCall,
    Unavailable,
)
from masrepro.models.model import Finish
from masrepro.models.reply import Choice, Counts, Failure, Reply, read, refused, retry_after_s

NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


def body(content: object, finish: str = "stop", usage: object = None, **more: object) -> str:
    choice = {"message": {"role": "assistant", "content": content, **more}, "finish_reason": finish}
    return json.dumps({"choices": [choice], "usage": usage})


SEARCH = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}
OLLAMA = {"function": {"name": "search", "arguments": {"q": 1}}}


def one(
    text: str,
    reasoning: str = "",
    finish: Finish = "stop",
    counts: Counts | None = None,
    calls: tuple[ToolCall, ...] = (),
) -> Reply:
    return Reply((Choice(text, reasoning, finish, calls),), counts)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (body("four"), one("four")),
        (body("fo", "length", {"prompt_tokens": 3, "completion_tokens": 2}), one("fo", "", "length", Counts(3, 2))),
        (body("four", reasoning_content="two and two"), one("four", "two and two")),
        (body("four", reasoning="two and two"), one("four", "two and two")),
        (body(None, "length", reasoning_content="two and"), one("", "two and", "length")),
        (body("", usage={"prompt_tokens": None}), one("")),
        (body(None, refusal="I will not"), one("I will not")),
        ('{"choices": [{"message": {"reasoning": "two"}, "finish_reason": "length"}]}', one("", "two", "length")),
        (body(None, "tool_calls", tool_calls=[SEARCH]), one("", calls=(ToolCall("c1", "search", '{"q": 1}'),))),
        (body("hm", tool_calls=[OLLAMA]), one("hm", calls=(ToolCall("call_0", "search", '{"q": 1}'),))),
        (body("hm", tool_calls=None), one("hm")),
    ],
)
def test_completions(sent: str, expected: Reply) -> None:
    assert read(sent, NOW) == expected


def test_several_completions_of_one_request_in_their_order() -> None:
    choices = [{"message": {"content": text}, "finish_reason": "stop"} for text in ("a", "b")]
    sent = json.dumps({"choices": choices, "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
    assert read(sent, NOW) == Reply((Choice("a", "", "stop"), Choice("b", "", "stop")), Counts(3, 2))


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ("<html>", "is not JSON: '<html>'"),
        ('{"choices": [{"mess', "is not JSON"),
        ("[]", "holds no completion"),
        ('{"choices": []}', "holds no completion"),
        ('{"choices": [{"message": {}, "finish_reason": "stop"}]}', "holds no completion"),
        (body([{"type": "text", "text": "four"}]), "holds no completion"),
        ('{"error": {"message": "later"}}', "later"),
        (body("hm", tool_calls=[{"id": "c1"}]), "holds no completion"),
        ('{"choices": [7]}', "holds no completion"),
    ],
)
def test_what_is_no_completion_may_pass(sent: str, reason: str) -> None:
    failure = read(sent, NOW)
    assert isinstance(failure, Failure)
    assert failure.kind is MalformedReply and failure.may_pass and reason in failure.reason


def test_what_a_failed_attempt_cost_is_kept() -> None:
    failure = read('{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 0}}', NOW)
    assert failure.counts == Counts(7, 0)


def test_a_filtered_reply_is_final() -> None:
    failure = read(body("", "content_filter"), NOW)
    assert isinstance(failure, Failure)
    assert failure.kind is RequestRefused and not failure.may_pass


@pytest.mark.parametrize("ended", ["abort", "error"])
def test_what_a_server_broke_off_is_no_reply_however_long(ended: str) -> None:
    failure = read(body("half of it", ended, {"prompt_tokens": 3, "completion_tokens": 2}), NOW)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.may_pass, failure.counts) == (Unavailable, True, Counts(3, 2))


@pytest.mark.parametrize(
    ("status", "kind"), [(429, RateLimited), (502, Unavailable), (402, RequestRefused), (400, ContextOverflow)]
)
def test_an_error_inside_a_response_that_succeeded_counts_as_its_status(status: int, kind: type[ModelError]) -> None:
    sent = {"error": {"code": status, "message": "maximum context length"}}
    failure = read(json.dumps(sent), NOW)
    assert isinstance(failure, Failure) and failure.kind is kind


@pytest.mark.parametrize(
    ("status", "code", "said", "kind", "may_pass"),
    [
        (429, None, "slow down", RateLimited, True),
        (429, "insufficient_quota", "quota", RateLimited, False),
        (500, None, "", Unavailable, True),
        (503, None, "context size of the pool", Unavailable, True),
        (408, None, "", Unavailable, True),
        (401, None, "bad key", RequestRefused, False),
        (404, None, "no such model", RequestRefused, False),
        (400, "context_length_exceeded", "", ContextOverflow, False),
        (400, None, "This model's maximum context length is 2048 tokens", ContextOverflow, False),
        (422, None, "exceeds the available context size", ContextOverflow, False),
        (400, None, "prompt is too long: 208310 tokens > 200000 maximum", ContextOverflow, False),
        (422, None, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", ContextOverflow, False),
        (400, None, "temperature is not supported", RequestRefused, False),
        (409, None, "", RequestRefused, False),
    ],
)
def test_statuses(status: int, code: str | None, said: str, kind: type[ModelError], may_pass: bool) -> None:
    failure = refused(status, code, said, {}, NOW)
    assert (failure.kind, failure.may_pass) == (kind, may_pass)
    assert f"HTTP {status}" in failure.reason and said in failure.reason and failure.advice.endswith(".")


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("nan", 0.0),
        ("Sun, 29 Nov 2026 12:00:30 GMT", 30.0),
        ("Sun, 29 Nov 2026 11:59:00 GMT", 0.0),
        ("soon", 0.0),
        ("", 0.0),
    ],
)
def test_retry_after(asked: str, seconds: float) -> None:
    assert retry_after_s({"retry-after": asked}, NOW) == seconds
    assert retry_after_s({}, NOW) == 0.0
