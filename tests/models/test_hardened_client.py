"""The client's streams, tools, several completions of a prompt and its breaker, against a real server on loopback."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from chat_server import BREAKDOWN, CUT, END, HALF_JSON, NO_CHOICES, PAUSE, STALL, ChatServer, Fault
from echo import Echo

from masrepro.models import (
    ContextOverflow,
    MalformedReply,
    Message,
    ModelError,
    OpenAICompatible,
    Price,
    RequestRefused,
    Sampling,
    ToolCall,
    ToolSignature,
    Unavailable,
    Usage,
)
from masrepro.models.breaker import Breaker

KEY = "sk-very-secret-0123456789"
PRICE = Price(Decimal("1.5"), Decimal("6"))
ASKED = [Message("user", "How many crates are in mill 7?")]
SAMPLING = Sampling(max_tokens=8)
SEARCH = ToolSignature("search", "Find passages.", {"type": "object", "properties": {"query": {"type": "string"}}})


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(Echo()) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def client(server: ChatServer, **changes: Any) -> OpenAICompatible:
    settings = {"context_tokens": 1024, "price": PRICE, "timeout_s": 20.0, "retries": 2, "backoff_s": 0.01}
    return OpenAICompatible(server.base_url, "tiny", rng=Random(0), **(settings | changes))


async def test_a_streamed_reply_is_the_same_as_one_in_one_piece() -> None:
    with ChatServer(Echo(), reasoning="step by step") as server:
        plain = await client(server).complete(ASKED, SAMPLING)
        streamed = await client(server, stream=True).complete(ASKED, SAMPLING)
    assert streamed == plain and streamed.reasoning == "step by step"
    assert server.requests[1] == {**server.requests[0], "stream": True, "stream_options": {"include_usage": True}}


@pytest.mark.parametrize("fault", [CUT, END, PAUSE], ids=["cut", "ended", "stalled"])
async def test_a_stream_that_breaks_off_is_tried_again_and_counted_and_half_a_text_is_never_taken(
    server: ChatServer, fault: Fault
) -> None:
    model = client(server, stream=True, idle_s=1.0)
    whole = await model.complete(ASKED, SAMPLING)
    server.schedule([fault, fault])
    repeated = await model.complete(ASKED, SAMPLING)
    assert (repeated.text, repeated.usage.calls) == (whole.text, 3)
    server.schedule([fault] * 3)
    with pytest.raises(Unavailable, match="3 attempts") as caught:
        await model.complete(ASKED, SAMPLING)
    assert caught.value.usage == Usage(3, 0, 0, Decimal(0))


async def test_faults_before_a_stream_begins_are_those_of_any_reply(server: ChatServer) -> None:
    model = client(server, stream=True, retries=4, idle_s=1.0)
    server.schedule([BREAKDOWN, STALL, HALF_JSON, NO_CHOICES])
    completion = await model.complete(ASKED, SAMPLING)
    assert completion.usage.calls == 5
    server.schedule([Fault("status", 400, '{"error": {"message": "maximum context length is 9"}}')])
    with pytest.raises(ContextOverflow, match="1 attempt"):
        await model.complete(ASKED, SAMPLING)


async def test_tools_are_offered_called_and_answered_in_the_protocols_form(server: ChatServer) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    reply = {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    server.schedule([Fault("body", text=json.dumps(reply))])
    model = client(server)
    asked = await model.complete(ASKED, Sampling(max_tokens=8, tools=(SEARCH,), repeat=3))
    assert (asked.text, asked.finish, asked.tool_calls) == ("", "stop", (ToolCall("c1", "search", '{"query": "x"}'),))
    assert server.requests[0]["tools"] == [
        {
            "type": "function",
            "function": {"name": "search", "description": "Find passages.", "parameters": SEARCH.parameters},
        }
    ]
    assert "repeat" not in server.requests[0]
    turns = [*ASKED, Message("assistant", "", asked.tool_calls), Message("tool", "found", tool_call_id="c1")]
    await model.complete(turns, SAMPLING)
    assert server.requests[1]["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "found", "tool_call_id": "c1"},
    ]


@pytest.mark.parametrize(("most_choices", "n_requests"), [(8, 1), (3, 2), (1, 5)])
async def test_several_completions_of_one_prompt_cost_what_the_requests_cost(
    most_choices: int, n_requests: int
) -> None:
    sampling = Sampling(temperature=1.0, max_tokens=6, seed=1)
    with ChatServer(Echo(), most_choices=most_choices) as server:
        drawn = await client(server).complete_many(ASKED, sampling, 5)
        alone = await client(server).complete(ASKED, sampling)
    assert len(drawn) == 5 and drawn[0].text == alone.text
    assert [request.get("n", 1) for request in server.requests[:-1]] == list(range(5, 0, -most_choices))
    total = sum((completion.usage for completion in drawn), Usage())
    assert total.calls == n_requests == sum(completion.usage.calls for completion in drawn)
    assert total.prompt_tokens == n_requests * alone.usage.prompt_tokens
    assert total.cost_usd == PRICE.of(total.prompt_tokens, total.completion_tokens)


async def test_what_was_drawn_before_a_failure_is_in_its_usage() -> None:
    with ChatServer(Echo(), most_choices=1) as server:
        server.schedule([None, NO_CHOICES, NO_CHOICES, NO_CHOICES])
        with pytest.raises(MalformedReply) as caught:
            await client(server).complete_many(ASKED, SAMPLING, 2)
    assert caught.value.usage.calls == 4 and caught.value.usage.completion_tokens > 0


async def test_a_back_end_that_is_down_is_left_alone_and_the_error_says_since_when(server: ChatServer) -> None:
    breaker = Breaker(failures=3, pause_s=60.0, patience_s=0.0)
    model = client(server, retries=5, breaker=breaker)
    server.schedule([BREAKDOWN] * 9)
    with pytest.raises(Unavailable, match=r"circuit has been open since 20.* UTC, after 3 .*\(3 attempts\)"):
        await model.complete(ASKED, SAMPLING)
    with pytest.raises(Unavailable, match=r"\(0 attempts\)") as caught:
        await model.complete(ASKED, SAMPLING)
    assert caught.value.usage == Usage() and len(server.requests) == 3
    with pytest.raises(Unavailable):
        await client(server, breaker=breaker).complete(ASKED, SAMPLING)
    assert len(server.requests) == 3


async def test_an_outage_is_waited_out_by_all_requests_with_one_probe_at_a_time(server: ChatServer) -> None:
    breaker = Breaker(failures=4, pause_s=0.05, patience_s=120.0)
    model = client(server, retries=9, breaker=breaker, concurrency=4)
    server.schedule([BREAKDOWN] * 6)
    drawn = await asyncio.gather(*(model.complete(messages, SAMPLING) for messages in [ASKED] * 8))
    assert all(completion.text for completion in drawn)
    assert sum(completion.usage.calls for completion in drawn) == len(server.requests) == 8 + 6
    assert not breaker.is_open


async def test_a_refusal_or_a_rate_limit_is_a_sign_of_life(server: ChatServer) -> None:
    model = client(server, retries=0, breaker=Breaker(failures=2, pause_s=60.0, patience_s=0.0))
    for fault in (BREAKDOWN, Fault("status", 401, "{}"), BREAKDOWN, Fault("status", 429, "{}"), BREAKDOWN):
        server.schedule([fault])
        with pytest.raises(ModelError, match="1 attempt"):
            await model.complete(ASKED, SAMPLING)


async def test_a_cancelled_probe_does_not_keep_the_circuit_open(server: ChatServer) -> None:
    breaker = Breaker(failures=1, pause_s=0.01, patience_s=60.0)
    model = client(server, retries=0, breaker=breaker)
    server.schedule([BREAKDOWN, STALL])
    with pytest.raises(Unavailable):
        await model.complete(ASKED, SAMPLING)
    probe = asyncio.create_task(model.complete(ASKED, SAMPLING))
    while len(server.requests) < 2:
        await asyncio.sleep(0.005)
    probe.cancel()
    await asyncio.wait([probe])
    assert (await model.complete(ASKED, SAMPLING)).text


async def test_what_a_server_cannot_be_sent_is_refused(server: ChatServer) -> None:
    with pytest.raises(RequestRefused, match="lone surrogate"):
        await client(server).complete([Message("user", "half \ud83d of it")], SAMPLING)
    wordy = ToolSignature("search", "very " * 1000, {})
    with pytest.raises(ContextOverflow):
        await client(server).complete(ASKED, Sampling(max_tokens=8, tools=(wordy,)))
    assert server.requests == []


def test_the_revision_names_what_else_a_reply_depends_on() -> None:
    def revision(**changes: Any) -> str:
        return OpenAICompatible("http://127.0.0.1:1/v1", "gpt-x", context_tokens=9, **changes).revision

    assert revision() == "as served"
    assert revision(revision="r7", name="big", reasoning_effort="low", extra_body={"top_k": 5}) == (
        'r7; gpt-x; reasoning_effort="low"; top_k=5'
    )
    assert revision(stream=True, timeout_s=1.0) == "as served"


async def test_the_key_is_in_no_error_and_no_log_of_a_stream(
    server: ChatServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    breaker = Breaker(failures=2, pause_s=60.0, patience_s=0.0)
    model = client(server, stream=True, retries=0, breaker=breaker, idle_s=1.0)
    echo = f'data: {{"error": {{"message": "wrong key {KEY}"}}}}\n\n'
    shown = [repr(model), str(vars(model)), str(vars(model._endpoint))]
    for fault in (Fault("body", text=echo), PAUSE, CUT, END, Fault("status", 401, echo)):
        server.schedule([fault])
        with pytest.raises(ModelError) as caught:
            await model.complete(ASKED, SAMPLING)
        shown += traceback.format_exception(caught.value)
        assert caught.value.__cause__ is None and caught.value.__context__ is None
    shown += [record.getMessage() for record in caplog.records]
    assert breaker.is_open and any("***" in text for text in shown)
    assert not any(KEY[:8] in text for text in shown)
