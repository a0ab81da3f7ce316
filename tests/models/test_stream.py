"""A streamed reply is put together whole, or not at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from masrepro.models import ContextOverflow, MalformedReply, ModelError, RateLimited, ToolCall, Unavailable
from masrepro.models.reply import Choice, Counts, Failure, Reply
from masrepro.models.stream import read_stream

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def part(finish: str | None = None, index: int = 0, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def stream(*parts: Any, done: bool = True, end: str = "\n\n") -> str:
    events = [f"data: {part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)}" for part in parts]
    return "".join(event + end for event in (*events, *(["data: [DONE]"] if done else [])))


USAGE = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}
WHOLE = (part(role="assistant", content=""), part(content="fo"), part(content="ur"), part("stop"), USAGE)
FOUR = Reply((Choice("four", "", "stop"),), Counts(5, 3))


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\n\n: still here\n\n"])
def test_parts_add_up_whatever_ends_the_lines(end: str) -> None:
    assert read_stream(stream(*WHOLE, end=end), NOW) == FOUR


def test_the_last_event_needs_no_end_of_line() -> None:
    assert read_stream(stream(*WHOLE).rstrip("\n"), NOW) == FOUR


def test_every_place_at_which_a_stream_is_cut_gives_a_failure_that_may_pass() -> None:
    whole = stream(*WHOLE)
    for length in range(len(whole) - len("[DONE]\n\n")):
        outcome = read_stream(whole[:length], NOW)
        assert isinstance(outcome, Failure) and outcome.may_pass, whole[:length]
    assert read_stream(whole[: len(whole) - 2], NOW) == FOUR


def test_a_stream_that_ends_before_its_reply_does_is_cut() -> None:
    outcome = read_stream(stream(part(content="fo")), NOW)
    assert isinstance(outcome, Failure)
    assert outcome.kind is Unavailable and "ended before the reply did" in outcome.reason


def test_line_separators_that_are_no_line_ends_are_text() -> None:
    outcome = read_stream(stream(part(content="a\u2028b\u0085c"), part("stop")), NOW)
    assert isinstance(outcome, Reply) and outcome.choices[0].text == "a\u2028b\u0085c"


def test_reasoning_is_kept_apart() -> None:
    parts = (part(reasoning_content="two "), part(reasoning_content="and two"), part(content="four"), part("length"))
    assert read_stream(stream(*parts), NOW) == Reply((Choice("four", "two and two", "length"),), None)


def test_tool_calls_come_in_pieces() -> None:
    def piece(index: int, arguments: str, **more: str) -> dict[str, Any]:
        name = {"name": more["name"]} if "name" in more else {}
        return {"index": index, **more, "function": {"arguments": arguments, **name}}

    parts = (
        part(tool_calls=[piece(0, "", id="c1", name="search")]),
        part(tool_calls=[piece(0, '{"q": '), piece(1, "{}", id="c2", name="open")]),
        part(tool_calls=[piece(0, "1}")]),
        part("tool_calls"),
    )
    outcome = read_stream(stream(*parts), NOW)
    assert isinstance(outcome, Reply)
    assert outcome.choices[0].tool_calls == (ToolCall("c1", "search", '{"q": 1}'), ToolCall("c2", "open", "{}"))


def test_completions_of_one_request_come_interleaved() -> None:
    parts = (part(index=1, content="b"), part(index=0, content="a"), part("stop", index=1), part("stop", index=0))
    outcome = read_stream(stream(*parts), NOW)
    assert isinstance(outcome, Reply) and [choice.text for choice in outcome.choices] == ["a", "b"]
    unfinished = read_stream(stream(*parts[:3]), NOW)
    assert isinstance(unfinished, Failure) and unfinished.may_pass


def test_a_server_that_does_not_stream_is_understood() -> None:
    sent = {"choices": [{"message": {"content": "four"}, "finish_reason": "stop"}]}
    assert read_stream(json.dumps(sent), NOW) == Reply((Choice("four", "", "stop"),), None)


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"error": {"message": "engine died"}}, Unavailable),
        ({"error": {"message": "engine died", "code": 500}}, Unavailable),
        ({"error": {"message": "slow down", "code": 429}}, RateLimited),
        ({"error": {"message": "maximum context length is 9", "code": 400}}, ContextOverflow),
        ({"error": "engine died"}, Unavailable),
        ("{half", MalformedReply),
        ("7", MalformedReply),
        ({"choices": [{"text": "the old API"}]}, MalformedReply),
    ],
)
def test_what_goes_wrong_in_mid_stream_is_no_reply(event: Any, kind: type[ModelError]) -> None:
    outcome = read_stream(stream(part(content="fo"), event, part("stop")), NOW)
    assert isinstance(outcome, Failure) and outcome.kind is kind


@pytest.mark.parametrize("body", ["", "<html>", ": only a comment\n\n"])
def test_what_is_no_stream_is_malformed(body: str) -> None:
    outcome = read_stream(body, NOW)
    assert isinstance(outcome, Failure) and outcome.kind is MalformedReply
