"""The client against a real server on loopback, which serves a real small model and breaks down on demand."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import traceback
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from chat_server import BREAKDOWN, CUT, HALF_JSON, NO_CHOICES, RATE_LIMIT, STALL, ChatServer, Fault
from tiny import prompts

from masrepro.models import (
    ContextOverflow,
    Local,
    MalformedReply,
    Message,
    Model,
    ModelError,
    OpenAICompatible,
    Price,
    RateLimited,
    RequestRefused,
    Sampling,
    Unavailable,
    Usage,
)
from masrepro.models.request import estimated_tokens

KEY = "sk-very-secret-0123456789"
PRICE = Price(Decimal("1.5"), Decimal("6"))
ASKED = prompts(1)[0]
SAMPLING = Sampling(max_tokens=8)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def client(server: ChatServer, **changes: Any) -> OpenAICompatible:
    settings: dict[str, Any] = {
        "context_tokens": 1024,
        "price": PRICE,
        "timeout_s": 10.0,
        "retries": 2,
        "backoff_s": 0.01,
        "rng": Random(0),
    }
    return OpenAICompatible(server.base_url, "tiny", **settings | changes)


async def test_text_and_tokens_are_those_of_the_model_behind_the_server(server: ChatServer, tiny: Local) -> None:
    model = client(server)
    assert isinstance(model, Model)
    sampled = Sampling(temperature=1.0, max_tokens=9, top_p=0.8, seed=4, stop=(" mim",))
    for sampling in (SAMPLING, sampled):
        direct, served = await tiny.complete(ASKED, sampling), await model.complete(ASKED, sampling)
        assert (served.text, served.finish) == (direct.text, direct.finish)
        assert served.usage == Usage(
            1,
            direct.usage.prompt_tokens,
            direct.usage.completion_tokens,
            PRICE.of(direct.usage.prompt_tokens, direct.usage.completion_tokens),
        )
    assert set(server.keys) == {f"Bearer {KEY}"}


async def test_only_what_is_set_is_sent(server: ChatServer) -> None:
    await client(server).complete(ASKED, SAMPLING)
    plain = {"model", "messages", "temperature", "top_p", "max_tokens"}
    assert set(server.requests[0]) == plain
    more = client(server, reasoning_effort="low", extra_body={"top_k": -1})
    await more.complete(ASKED, Sampling(max_tokens=8, seed=3, stop=("x",)))
    assert set(server.requests[1]) == plain | {"seed", "stop", "reasoning_effort", "top_k"}


@pytest.mark.parametrize(
    ("fault", "n_faults"),
    [(RATE_LIMIT, 2), (BREAKDOWN, 2), (STALL, 1), (CUT, 2), (HALF_JSON, 2), (NO_CHOICES, 2)],
    ids=["429", "500", "stall", "cut", "half JSON", "no choices"],
)
async def test_a_passing_fault_changes_neither_text_nor_tokens(server: ChatServer, fault: Fault, n_faults: int) -> None:
    undisturbed = await client(server).complete(ASKED, SAMPLING)
    server.schedule([fault] * n_faults)
    started = time.monotonic()
    disturbed = await client(server, timeout_s=3.0).complete(ASKED, SAMPLING)
    assert (disturbed.text, disturbed.finish) == (undisturbed.text, undisturbed.finish)
    assert disturbed.usage.calls == n_faults + 1
    assert disturbed.usage.completion_tokens == undisturbed.usage.completion_tokens
    failed_prompts = 14 if fault is NO_CHOICES else 0
    assert disturbed.usage.prompt_tokens == undisturbed.usage.prompt_tokens + failed_prompts
    assert len(server.requests) == n_faults + 2
    if fault is RATE_LIMIT:
        assert time.monotonic() - started >= 0.4  # twice Retry-After


@pytest.mark.parametrize(
    ("fault", "changes", "kind", "words"),
    [
        (RATE_LIMIT, {}, RateLimited, "HTTP 429: slow down; it asks to wait 0.2 s (3 attempts). Lower concurrency"),
        (BREAKDOWN, {}, Unavailable, "HTTP 500: worker died (3 attempts). Check that the server is up"),
        (STALL, {"timeout_s": 0.2}, Unavailable, "no reply within 0.2 s (3 attempts)"),
        (CUT, {}, Unavailable, "the connection was refused or cut (RemoteProtocolError) (3 attempts)"),
        (HALF_JSON, {}, MalformedReply, "the reply is not JSON"),
        (NO_CHOICES, {}, MalformedReply, "the reply holds no completion"),
    ],
    ids=["429", "500", "stall", "cut", "half JSON", "no choices"],
)
async def test_a_lasting_fault_becomes_its_error_with_every_attempt_counted(
    server: ChatServer, fault: Fault, changes: dict[str, Any], kind: type[ModelError], words: str
) -> None:
    server.schedule([fault] * 3)
    with pytest.raises(kind) as caught:
        await client(server, **changes).complete(ASKED, SAMPLING)
    assert words in str(caught.value) and str(caught.value).startswith(f"tiny at {server.base_url}")
    assert caught.value.usage.calls == len(server.requests) == 3
    assert caught.value.usage.prompt_tokens == (21 if fault is NO_CHOICES else 0)


async def test_a_server_that_is_not_there_is_unavailable(tiny: Local) -> None:
    with ChatServer(tiny) as server:
        gone = client(server)
    with pytest.raises(Unavailable, match="refused or cut"):
        await gone.complete(ASKED, SAMPLING)


async def test_a_wait_beyond_the_longest_is_not_waited_for(server: ChatServer) -> None:
    server.schedule([Fault("status", 429, "{}", {"Retry-After": "3600"})])
    with pytest.raises(RateLimited, match=r"asks to wait 3600 s \(1 attempt\)"):
        await client(server).complete(ASKED, SAMPLING)


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (Fault("status", 401, '{"error": {"message": "no such key"}}'), RequestRefused, "that api_key_env names"),
        (Fault("status", 404, '{"detail": "no such path"}'), RequestRefused, "no such path"),
        (Fault("status", 400, '{"error": {"message": "maximum context length is 9"}}'), ContextOverflow, "is 9"),
    ],
    ids=["401", "404", "overlong"],
)
async def test_what_the_request_is_to_blame_for_is_not_tried_again(
    server: ChatServer, fault: Fault, kind: type[ModelError], words: str
) -> None:
    server.schedule([fault])
    with pytest.raises(kind, match=words):
        await client(server).complete(ASKED, SAMPLING)
    assert len(server.requests) == 1


async def test_an_overlong_prompt_is_refused_before_it_is_sent(server: ChatServer) -> None:
    with pytest.raises(ContextOverflow, match=r"about 1000 tokens and max_tokens=30 .* context of 1024 tokens"):
        await client(server, n_tokens=lambda messages: 1000).complete(ASKED, Sampling(max_tokens=30))
    assert server.requests == []


def test_the_estimate_of_tokens_is_low_for_english_text() -> None:
    assert estimated_tokens([Message("system", "Answer."), Message("user", "How many crates are in the mill?")]) == 18


async def test_reasoning_is_kept_apart(tiny: Local) -> None:
    with ChatServer(tiny, reasoning="step by step") as server:
        completion = await client(server).complete(ASKED, SAMPLING)
    assert completion.reasoning == "step by step"
    assert "step" not in completion.text


async def test_an_unknown_price_and_an_uncounted_reply_are_of_unknown_cost(server: ChatServer) -> None:
    assert (await client(server, price=None).complete(ASKED, SAMPLING)).usage.cost_usd is None
    server.schedule([Fault("body", text='{"choices": [{"message": {"content": "four"}, "finish_reason": "stop"}]}')])
    uncounted = await client(server, n_tokens=lambda messages: 11).complete(ASKED, SAMPLING)
    assert uncounted.usage == Usage(1, 11, 11, None)


async def test_no_more_requests_are_in_flight_than_allowed_and_connections_are_shared_then_closed(tiny: Local) -> None:
    with ChatServer(tiny, delay_s=0.02) as server:
        model = client(server, concurrency=3)
        await asyncio.gather(*(model.complete(messages, SAMPLING) for messages in prompts(12)))
        async with asyncio.timeout(5):
            while server.n_open:
                await asyncio.sleep(0.005)
    assert server.most_in_flight == 3
    assert (len(server.requests), server.n_connections) == (12, 3)


async def test_cancelling_lets_go_of_the_server_and_of_the_place(server: ChatServer) -> None:
    server.schedule([STALL])
    model = client(server, concurrency=1)
    stalled = asyncio.ensure_future(model.complete(ASKED, SAMPLING))
    while not server.requests:
        await asyncio.sleep(0.005)
    queued = asyncio.ensure_future(model.complete(prompts(2)[1], SAMPLING))
    stalled.cancel()
    assert (await queued).text
    with pytest.raises(asyncio.CancelledError):
        await stalled
    assert server.n_abandoned == 1
    assert model._endpoint.sessions == {}


def test_loops_in_turn_and_at_once(server: ChatServer) -> None:
    model = client(server)
    expected = asyncio.run(model.complete(ASKED, SAMPLING))
    got = [asyncio.run(model.complete(ASKED, SAMPLING))]
    threads = [
        threading.Thread(target=lambda: got.append(asyncio.run(model.complete(ASKED, SAMPLING)))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected] * 4
    assert model._endpoint.sessions == {}


async def test_the_key_is_never_shown(server: ChatServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    model = client(server, retries=1)
    echo = f'{{"error": {{"message": "wrong key {KEY}"}}}}'
    shown = [repr(model), str(vars(model))]
    for faults in (
        [Fault("status", 401, echo)],
        [Fault("status", 500, echo)] * 2,
        [Fault("body", text=f"{'x' * 265}{KEY}")] * 2,
        [CUT] * 2,
    ):
        server.schedule(faults)
        with pytest.raises(ModelError) as caught:
            await model.complete(ASKED, SAMPLING)
        shown += traceback.format_exception(caught.value)
        assert caught.value.__cause__ is None and caught.value.__context__ is None
    await model.complete(ASKED, SAMPLING)
    shown += [record.getMessage() for record in caplog.records]
    assert any("***" in text for text in shown)
    assert not any(KEY[:8] in text for text in shown)


@pytest.mark.parametrize(
    ("base_url", "environment", "words"),
    [
        ("https://api.example.com/v1", "", "no API key .* set the environment variable OPENAI_API_KEY"),
        ("https://api.example.com/v1", "sk-broken\nkey", "OPENAI_API_KEY holds characters"),
        ("api.example.com/v1", KEY, "should look like http"),
        ("https://me:pass@api.example.com/v1", KEY, "holds a user name or password"),
    ],
)
def test_a_client_that_cannot_work_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, base_url: str, environment: str, words: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", environment)
    with pytest.raises(ValueError, match=words):
        OpenAICompatible(base_url, "m", context_tokens=10)


def test_a_server_on_this_machine_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for host in ("127.0.0.1", "localhost", "[::1]"):
        assert OpenAICompatible(f"http://{host}:8000/v1", "m", context_tokens=10).name == "m"
    assert OpenAICompatible("http://gpu-box:8000/v1", "m", context_tokens=10, api_key_env=None).name == "m"
