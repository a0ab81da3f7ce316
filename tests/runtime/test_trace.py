from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from masrepro.models.model import Message, ToolCall, Usage
from masrepro.runtime import Span, Trace

TEXT = st.text()
SECONDS = st.floats(0, 1e6)
COST = st.none() | st.decimals(0, 1000, allow_nan=False, allow_infinity=False)
TOOL_CALLS = st.lists(st.builds(ToolCall, TEXT, TEXT, TEXT), max_size=1).map(tuple)
MESSAGES = st.builds(Message, st.sampled_from(["system", "user", "tool"]), TEXT, TOOL_CALLS, st.none() | TEXT)
SPANS = st.builds(
    Span,
    id=st.integers(0, 1000),
    parent=st.none() | st.integers(0, 1000),
    agent=TEXT,
    kind=st.sampled_from(["agent", "call"]),
    cached=st.booleans(),
    model=st.none() | TEXT,
    start_s=SECONDS,
    end_s=SECONDS,
    usage=st.builds(Usage, st.integers(0), st.integers(0), st.integers(0), COST),
    inputs=st.lists(TEXT, max_size=3).map(tuple),
    messages=st.lists(MESSAGES, max_size=2).map(tuple),
    max_tokens=st.none() | st.integers(1, 10**6),
    text=st.none() | TEXT,
    reasoning=TEXT,
    finish=st.sampled_from(["stop", "length", None]),
    error=st.none() | TEXT,
    tool_calls=TOOL_CALLS,
)
USES = st.builds(
    Span,
    id=st.integers(0, 1000),
    parent=st.integers(0, 1000),
    agent=TEXT,
    kind=st.just("tool"),
    model=st.none(),
    start_s=SECONDS,
    end_s=SECONDS,
    text=st.none() | TEXT,
    error=st.none() | TEXT,
    tool=TEXT,
    arguments=TEXT,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(SPANS | USES, max_size=3))
def test_json_loses_nothing_and_is_one_line(spans):
    trace = Trace(spans)
    text = trace.to_json()
    again = Trace.from_json(text)
    assert again == trace
    assert [str(span.usage.cost_usd) for span in again] == [str(span.usage.cost_usd) for span in trace]
    assert len((text + "\n").splitlines()) == 1


def test_a_line_break_of_any_kind_and_half_a_character_stay_inside_the_line():
    odd = "a\u0085b\u2028c\r\nd\ud800"
    text = Trace([Span(0, None, "a", "agent", None, 0.0, 1.0, text=odd)]).to_json()
    assert text.isascii() and len(text.splitlines()) == 1
    assert Trace.from_json(text).spans[0].text == odd


def test_costs_are_decimal_strings_and_an_unknown_cost_is_null():
    spans = [Span(0, None, "a", "call", "m", 0.0, 1.0, usage=Usage(1, 2, 3, cost)) for cost in (Decimal("0.10"), None)]
    assert [record["cost_usd"] for record in json.loads(Trace(spans).to_json())] == ["0.10", None]


def test_usage_is_attributed_to_the_agent_that_caused_it():
    trace = Trace()
    for agent, cost in (("a", "0.1"), ("b", "0.2"), ("a", "0.3")):
        trace.append(Span(0, None, agent, "call", "m", 0.0, 1.0, usage=Usage(1, 10, 5, Decimal(cost))))
    assert trace.usage_of("a") == Usage(2, 20, 10, Decimal("0.4"))
    assert trace.usage == Usage(3, 30, 15, Decimal("0.6"))
    assert trace.usage_of("nobody") == Usage()


def test_a_record_from_before_there_were_tools_is_read():
    (record,) = Trace([Span(0, None, "a", "call", "m", 0.0, 1.0, messages=(Message("user", "Q"),))]).to_records()
    assert not {"tool", "arguments", "tool_calls", "cached"} & set(record)
    assert record["messages"] == [{"role": "user", "content": "Q"}]


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"id": 0}]', '{"spans": []}'])
def test_what_is_not_a_trace_is_refused(text):
    with pytest.raises(ValueError):
        Trace.from_json(text)
