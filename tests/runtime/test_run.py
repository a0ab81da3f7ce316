from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

import masrepro
from masrepro.models.model import ModelError, Pool, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import run, run_sync
from masrepro.runtime.blocking import wait_for

ALONE = Orchestration((Agent("a", "", "a"),))
CHAIN = Orchestration((Agent("a", "", "a"), Agent("b", "", "b")), (Flow("a", "b"),))


async def test_a_run_gives_the_sinks_answer(backend):
    result = await run(CHAIN, "Q", models=backend())
    assert (result.answer, result.status, result.error) == ("b!", "done", None)
    assert [(output.answer, output.rationale) for output in result.outputs.values()] == [
        ("a!", "About a."),
        ("b!", "About b."),
    ]


async def test_a_direct_answer_makes_no_call(backend):
    model = backend()
    result = await run(Orchestration(answer="\\boxed{7}"), "Q", models=model)
    assert (result.answer, result.status, result.usage, len(result.trace)) == (
        "\\boxed{7}",
        "done",
        Usage(),
        0,
    )
    assert model.calls == []


async def test_a_reply_cut_off_while_thinking_is_truncated_whatever_it_mentions(backend):
    model = backend({"a": {"text": "Perhaps \\boxed{7}, but", "finish": "length"}})
    result = await run(ALONE, "Q", models=model)
    assert (result.answer, result.status) == (None, "truncated")


async def test_a_reply_without_an_answer_that_came_to_its_end_is_done_without_an_answer(backend):
    result = await run(ALONE, "Q", models=backend({"a": {"text": "Answer:  "}}))
    assert (result.answer, result.status) == (None, "done")


async def test_an_upstream_agent_without_an_answer_does_not_stop_the_others(backend):
    model = backend({"a": {"text": "thinking", "finish": "length"}})
    result = await run(CHAIN, "Q", models=model, rationale_chars=0)
    assert (result.answer, result.status) == ("b!", "done")
    assert model.calls[1][0][-1].content == "Q\n\nFrom a: no answer\n\nGoal: b"


async def test_failed_attempts_are_paid_for(backend):
    lost = Usage(5, 50, 0, Decimal("0.5"))
    model = backend({"b": {"error": ModelError("down", usage=lost)}})
    result = await run(CHAIN, "Q", models=model)
    assert result.usage == Usage(1, 10, 5, Decimal(0)) + lost
    assert result.trace.usage_of("b") == lost


async def test_costs_of_concurrent_samples_sum_with_a_retry_a_cache_hit_and_an_unknown_price(backend):
    usages = [Usage(1, 100, i, Decimal(i) / 1000) for i in range(17)]
    usages += [Usage(2, 200, 5, Decimal("0.25")), Usage(0, 100, 5, Decimal(0)), Usage(1, 100, 5, None)]
    models = [backend({"a": {"usage": usage}}) for usage in usages]
    results = await asyncio.gather(*(run(ALONE, "Q", models=model) for model in models))
    assert [result.usage for result in results] == usages
    known = sum((result.usage for result in results if result.usage.cost_usd is not None), Usage())
    assert (known.calls, known.cost_usd) == (19, Decimal("0.386"))
    assert (known + results[-1].usage).cost_usd is None


async def test_a_trace_redraws_the_run(backend):
    result = await run(CHAIN, "Q?", models=backend(), clock=iter(range(100)).__next__)
    agents = {span.agent: span for span in result.trace if span.kind == "agent"}
    calls = {span.agent: span for span in result.trace if span.kind == "call"}
    assert {id: span.inputs for id, span in agents.items()} == {"a": (), "b": ("a",)}
    assert {id: span.text for id, span in agents.items()} == {"a": "a!", "b": "b!"}
    for id, call in calls.items():
        act = agents[id]
        assert call.parent == act.id
        assert act.start_s < call.start_s < call.end_s < act.end_s
        assert call.messages[-1].content.startswith("Q?")
        assert (call.text, call.finish, call.max_tokens) == (f"About {id}.\nAnswer: {id}!", "stop", 512)
    assert agents["a"].end_s < agents["b"].start_s < result.seconds
    assert len({span.id for span in result.trace}) == len(result.trace)


async def test_a_negative_bound_on_the_rationale_is_refused(backend):
    with pytest.raises(ValueError, match="rationale_chars"):
        await run(ALONE, "Q", models=backend(), rationale_chars=-1)


def test_run_sync_works_without_an_event_loop(backend):
    assert run_sync(CHAIN, "Q", models=backend()).answer == "b!"


async def test_run_sync_works_inside_a_running_event_loop(backend):
    before = threading.active_count()
    assert run_sync(CHAIN, "Q", models=Pool.of(backend())).answer == "b!"
    assert threading.active_count() == before


async def test_run_sync_inside_a_running_event_loop_keeps_the_callers_context(backend):
    class Looking(backend):
        async def complete(self, messages, sampling):
            seen.append(variable.get())
            return await super().complete(messages, sampling)

    seen, variable = [], contextvars.ContextVar("variable", default="unset")
    variable.set("set by the caller")
    run_sync(ALONE, "Q", models=Looking())
    assert seen == ["set by the caller"]


async def test_run_sync_inside_a_running_event_loop_raises_what_the_run_raises(backend):
    with pytest.raises(ZeroDivisionError):
        run_sync(CHAIN, "Q", models=backend({"a": {"error": ZeroDivisionError()}}))


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # called off before it began
async def test_an_interrupt_at_any_moment_leaves_nothing_running():
    running: list[int] = []
    main = threading.main_thread().ident

    async def job(number: int) -> None:
        running.append(number)
        try:
            await asyncio.sleep(60)
        finally:
            running.remove(number)

    def interrupt(after_s: float, over: threading.Event) -> None:
        """As one who presses again: Python drops what is raised in a callback of a weak reference."""
        time.sleep(after_s)
        signal.pthread_kill(main, signal.SIGINT)
        while not over.wait(2):
            signal.pthread_kill(main, signal.SIGINT)

    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for number in range(50):
            over = threading.Event()
            thread = threading.Thread(target=interrupt, args=(number * 5e-5, over))
            with pytest.raises(KeyboardInterrupt):
                thread.start()
                wait_for(job(number))
            over.set()
            thread.join()
            assert not running
    finally:
        signal.signal(signal.SIGINT, usual)


async def test_an_interrupt_of_run_sync_inside_a_running_event_loop_cancels_the_run(backend):
    model = backend({"a": {"seconds": 60}})
    main = threading.main_thread().ident

    def interrupt() -> None:
        while not model.calls:
            time.sleep(0.001)
        signal.pthread_kill(main, signal.SIGINT)

    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_sync(ALONE, "Q", models=model)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, usual)
    assert model.goals("CancelledError") == ["a"]


def test_run_sync_works_in_a_plain_script(tmp_path):
    script = tmp_path / "a script.py"
    script.write_text(
        "from masrepro import Orchestration, run_sync\n"
        "from masrepro.models.model import FREE\n"
        "class Unused:\n"
        "    name, revision, context_tokens, price = 'unused', '1', 1, FREE\n"
        "if __name__ == '__main__':\n"
        "    print(run_sync(Orchestration(answer='42'), 'Q', models=Unused()).answer)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(masrepro.__file__).parents[1])}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, env=environment)
    assert (done.stdout, done.stderr, done.returncode) == ("42\n", "", 0)
