from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from fixture_home import hear_interrupts

from masrepro.bench import Item, Score
from masrepro.bench.scoring.outcome import ScorerUnavailable
from masrepro.lab.evaluate import Evaluation, evaluate, evaluate_sync, sample_seed
from masrepro.lab.grade import Grade
from masrepro.lab.sample_store import SampleStore, read_samples
from masrepro.models.model import (
    Completion,
    Finish,
    Message,
    ModelError,
    Price,
    RateLimited,
    Sampling,
    Usage,
)
from masrepro.orchestration import Agent, Flow, Orchestration, OrchestrationError
from masrepro.runtime import Budget, Trace
from masrepro.tools.isolation import SandboxError

PRICE = Price(Decimal("0.15"), Decimal("0.60"))


def items(n: int) -> list[Item]:
    return [Item(f"i{index}", f"Question {index}?", "4", "exact_int") for index in range(n)]


class OneAgent:
    name = "one"

    def design(self, item: Item) -> Orchestration:
        return Orchestration(agents=(Agent("a1", "solver", ""),))


class Scripted:
    """Answers by a function of the question; keeps what it was asked for and how many at once."""

    name = "scripted"
    revision = "1"
    context_tokens = 4096
    price: Price | None = PRICE

    def __init__(self, replies: dict[str, str | ModelError | float] | None = None, finish: Finish = "stop") -> None:
        self.replies = replies or {}
        self.finish = finish
        self.samplings: list[Sampling] = []
        self.asked: list[str] = []
        self.in_flight = self.most_in_flight = 0

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        question = messages[-1].content
        self.asked.append(question)
        self.samplings.append(sampling)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            reply = self.replies.get(question, "Answer: \\boxed{4}")
            await asyncio.sleep(reply if isinstance(reply, float) else 0.001)
        finally:
            self.in_flight -= 1
        if isinstance(reply, ModelError):
            raise reply
        usage = Usage(1, 10, 5, PRICE.of(10, 5))
        return Completion("Answer: \\boxed{4}" if isinstance(reply, float) else reply, self.finish, usage)


async def one(model: Scripted, n: int = 1, **options: object) -> Evaluation:
    return await evaluate(OneAgent(), items(n), models=model, benchmark="b", **options)  # type: ignore[arg-type]


def too_many() -> RateLimited:
    return RateLimited("HTTP 429 to the end", usage=Usage(3, 0, 0, Decimal(0)))


async def test_six_right_and_two_errors_of_ten_are_a_range() -> None:
    wrong = dict.fromkeys(("Question 0?", "Question 1?"), "Answer: \\boxed{5}")
    failing = {question: too_many() for question in ("Question 2?", "Question 3?")}
    evaluation = await one(Scripted({**wrong, **failing}), n=10)
    assert str(evaluation.accuracy) == "6/10, 2 errors, 60-80 %"
    assert evaluation.accuracy.value is None
    assert evaluation.outcomes == {
        "correct": 6, "wrong": 2, "unparsed": 0, "invalid": 0, "truncated": 0, "limit": 0, "error": 2,
    }  # fmt: skip
    assert evaluation.samples[2].error is not None and "HTTP 429" in evaluation.samples[2].error


async def test_the_costs_of_samples_sum_to_the_total_with_retries_counted() -> None:
    evaluation = await one(Scripted({"Question 2?": too_many()}), n=10)
    assert evaluation.usage == sum((sample.usage for sample in evaluation.samples), Usage())
    assert evaluation.usage == Usage(9 + 3, 90, 45, 9 * PRICE.of(10, 5))


async def test_one_unknown_cost_makes_the_total_unknown() -> None:
    evaluation = await one(Scripted({"Question 0?": ModelError("no idea", usage=Usage(1, 0, 0, None))}), n=2)
    assert evaluation.usage.cost_usd is None


async def test_a_reply_cut_off_while_thinking_is_truncated_not_what_it_mentions() -> None:
    model = Scripted({"Question 0?": "let me see, \\boxed{4} might"}, finish="length")
    (sample,) = (await one(model)).samples
    assert (sample.outcome, sample.answer) == ("truncated", None)


async def test_an_answer_without_a_number_is_unparsed() -> None:
    (sample,) = (await one(Scripted({"Question 0?": "I do not know"}))).samples
    assert sample.outcome == "unparsed"


async def test_a_budget_that_is_spent_is_limit_with_the_transcript_kept() -> None:
    class Two:
        name = "two"

        def design(self, item: Item) -> Orchestration:
            return Orchestration((Agent("a1", "r", "g"), Agent("a2", "r", "g")), (Flow("a1", "a2"),))

    evaluation = await evaluate(Two(), items(1), models=Scripted(), benchmark="b", budget=Budget(calls=1))
    (sample,) = evaluation.samples
    assert sample.outcome == "limit"
    assert sample.usage.calls == 1 and len(sample.trace) >= 1
    assert (sample.n_agents, sample.longest_chain) == (2, 2)


async def test_an_invalid_orchestration_never_reaches_scorer_or_model() -> None:
    class Broken:
        name = "broken"

        async def design(self, item: Item) -> Orchestration:
            raise OrchestrationError("cycle", "a1 and a2 feed each other", "flow 2", "Break the cycle.")

    def scorer(item: Item, answer: str) -> Score:
        raise AssertionError("an invalid orchestration was scored")

    model = Scripted()
    evaluation = await evaluate(Broken(), items(2), models=model, benchmark="b", scorer=scorer)
    assert evaluation.outcomes["invalid"] == 2
    assert "[cycle]" in str(evaluation.samples[0].error)
    assert model.asked == []


async def test_an_orchestration_that_cannot_be_staffed_is_invalid() -> None:
    class Stranger:
        name = "stranger"

        def design(self, item: Item) -> Orchestration:
            return Orchestration((Agent("a1", "r", "g", backbone="unheard-of"),))

    (sample,) = (await evaluate(Stranger(), items(1), models=Scripted(), benchmark="b")).samples
    assert sample.outcome == "invalid" and "unheard-of" in str(sample.error)
    assert sample.orchestration is not None and "unheard-of" in sample.orchestration


async def test_a_back_end_that_fails_in_design_is_an_error_with_its_cost() -> None:
    class Writer:
        name = "writer"

        async def design(self, item: Item) -> Orchestration:
            raise too_many()

    (sample,) = (await evaluate(Writer(), items(1), models=Scripted(), benchmark="b")).samples
    assert (sample.outcome, sample.usage.calls) == ("error", 3)


async def test_a_fault_in_a_program_ends_the_evaluation_and_says_where() -> None:
    class Faulty:
        name = "faulty"

        def design(self, item: Item) -> Orchestration:
            raise ZeroDivisionError("division by zero")

    with pytest.raises(ZeroDivisionError) as caught:
        await evaluate(Faulty(), items(3), models=Scripted(), benchmark="b")
    assert caught.value.__notes__ == ["while evaluating faulty on b, item i0, repeat 0"]
    assert caught.value.__context__ is None


async def test_results_are_in_the_order_of_items_and_repeats_whatever_finishes_first() -> None:
    slow_first: dict[str, str | ModelError | float] = {f"Question {i}?": 0.05 - 0.01 * i for i in range(5)}
    evaluation = await one(Scripted(slow_first), n=5, repeats=2)
    assert [(s.item_id, s.repeat) for s in evaluation.samples] == [(f"i{i}", r) for i in range(5) for r in range(2)]


async def test_concurrency_is_bounded_and_used() -> None:
    model = Scripted()
    await one(model, n=30, concurrency=7)
    assert model.most_in_flight == 7


async def test_seeds_are_stable_differ_by_repeat_and_are_the_same_for_every_system() -> None:
    model = Scripted()
    await one(model, n=2, repeats=2, sampling=Sampling(seed=1))
    seeds = [sampling.seed for sampling in model.samplings]
    assert seeds == [sample_seed(1, item, repeat) for item in ("i0", "i1") for repeat in (0, 1)]
    assert len(set(seeds)) == 4
    assert sample_seed(1, "i0", 0) == 284312521
    model = Scripted()
    await one(model)
    assert model.samplings[0].seed is None


async def test_equal_questions_with_different_ids_are_two_samples_and_equal_ids_are_refused(
    tmp_path: Path,
) -> None:
    twice = [Item("first", "Same?", "4", "exact_int"), Item("second", "Same?", "4", "exact_int")]
    with SampleStore(tmp_path) as store:
        evaluation = await evaluate(OneAgent(), twice, models=Scripted(), benchmark="b", store=store)
    assert [sample.item_id for sample in evaluation.samples] == ["first", "second"]
    with pytest.raises(ValueError, match="unique ids; more than one has first"):
        await evaluate(OneAgent(), [twice[0], twice[0]], models=Scripted(), benchmark="b")


async def test_resume_repeats_only_errors_and_what_is_missing(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        await one(Scripted({"Question 1?": too_many()}), n=3, store=store)
    model = Scripted()
    with SampleStore(tmp_path) as store:
        evaluation = await one(model, n=5, store=store)
        assert store.spent.calls == 2 + 3 + 3
    assert sorted(model.asked) == ["Question 1?", "Question 3?", "Question 4?"]
    assert [sample.item_id for sample in evaluation.samples] == ["i0", "i1", "i2", "i3", "i4"]
    assert str(evaluation.accuracy) == "5/5, 100 %"
    assert len(list(read_samples(tmp_path / "samples.jsonl"))) == 6


async def test_what_is_read_back_is_what_was_measured(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        measured = await one(Scripted(), n=3, store=store)
    with SampleStore(tmp_path) as store:
        assert await one(Scripted(), n=3, store=store) == measured
    assert isinstance(measured.samples[0].trace, Trace)


async def test_cancelling_keeps_what_has_finished_and_leaves_no_call_behind(tmp_path: Path) -> None:
    model = Scripted({f"Question {i}?": 60.0 for i in range(5, 10)})
    with SampleStore(tmp_path) as store:
        task = asyncio.create_task(one(model, n=10, store=store))
        while len(store.samples) < 5:
            assert not task.done()
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert model.in_flight == 0
    assert len(list(read_samples(tmp_path / "samples.jsonl"))) == 5


def test_an_interrupt_from_the_keyboard_loses_nothing_that_finished(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import pathlib, sys
        sys.path.insert(0, sys.argv[2])
        from test_evaluate import OneAgent, Scripted, items
        from masrepro.lab import SampleStore, evaluate_sync
        with SampleStore(pathlib.Path(sys.argv[1])) as store:
            report = lambda finished, total: print(finished, flush=True)
            model = Scripted({"Question 3?": 60.0})
            evaluate_sync(OneAgent(), items(4), models=model, benchmark="b", store=store, progress=report)
        """
    )
    arguments = [sys.executable, "-c", program, str(tmp_path), str(Path(__file__).parent)]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_interrupts
    )
    assert process.stdout is not None
    while process.stdout.readline().strip() != "3":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode != 0 and "KeyboardInterrupt" in errors
    assert [sample.item_id for sample in read_samples(tmp_path / "samples.jsonl")] == ["i0", "i1", "i2"]


async def test_the_blocking_form_works_inside_a_running_loop() -> None:
    evaluation = evaluate_sync(OneAgent(), items(3), models=Scripted(), benchmark="b")
    assert str(evaluation.accuracy) == "3/3, 100 %"


def test_the_blocking_form_works_in_a_script() -> None:
    assert evaluate_sync(OneAgent(), items(2), models=Scripted(), benchmark="b").outcomes["correct"] == 2


async def test_progress_tells_where_it_starts_and_where_it_ends(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        await one(Scripted(), n=2, store=store)
        told: list[tuple[int, int]] = []
        await one(Scripted(), n=4, store=store, progress=lambda finished, total: told.append((finished, total)))
    assert told == [(2, 4), (3, 4), (4, 4)]


class Judging:
    """A scorer that waits, costs, and fails on some items as many times as it is told."""

    name = "judging"
    cost = Usage(1, 100, 7, PRICE.of(100, 7))

    def __init__(self, faults: dict[str, list[Exception]] | None = None) -> None:
        self.faults = faults or {}
        self.asked: list[str] = []
        self.in_flight = self.most_in_flight = 0

    async def __call__(self, item: Item, answer: str) -> Grade:
        self.asked.append(item.id)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0.002)
        self.in_flight -= 1
        if self.faults.get(item.id):
            raise self.faults[item.id].pop()
        return Grade(Score("correct", answer, 1.0, notes=("well said",)), self.cost)


async def test_a_scorer_that_waits_is_awaited_beside_others_and_its_cost_is_kept_apart() -> None:
    scorer = Judging()
    evaluation = await one(Scripted(), n=8, concurrency=4, scorer=scorer)
    assert 1 < scorer.most_in_flight <= 4
    assert evaluation.usage == Usage(8, 80, 40, 8 * PRICE.of(10, 5))
    assert evaluation.scoring_usage == Usage(8, 800, 56, 8 * PRICE.of(100, 7))
    assert (evaluation.samples[0].scorer, evaluation.samples[0].notes) == ("judging", ("well said",))


@pytest.mark.parametrize("fault", [too_many(), ScorerUnavailable("no process"), SandboxError("no bubblewrap")])
async def test_a_scorer_that_fails_is_an_error_with_the_run_kept_and_resume_repeats_only_scoring(
    fault: Exception, tmp_path: Path
) -> None:
    scorer = Judging({"i1": [fault]})
    with SampleStore(tmp_path) as store:
        first = await one(Scripted(), n=3, store=store, scorer=scorer)
    failed = first.samples[1]
    assert first.accuracy.value is None and str(first.accuracy) == "2/3, 1 error, 66.7-100 %"
    assert failed.outcome == "error" and str(failed.error).startswith(f"scoring failed: {type(fault).__name__}: ")
    assert (failed.answer, failed.usage.calls, len(failed.trace)) == ("\\boxed{4}", 1, 2)
    model, scorer = Scripted(), Judging()
    with SampleStore(tmp_path) as store:
        second = await one(model, n=3, store=store, scorer=scorer)
    assert (model.asked, scorer.asked) == ([], ["i1"])
    assert str(second.accuracy) == "3/3, 100 %"
    assert (second.samples[1].trace, second.samples[1].error) == (failed.trace, None)


async def test_a_run_whose_scoring_was_repeated_is_paid_for_once_and_all_scoring_counts(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        await one(Scripted(), n=2, store=store, scorer=Judging({"i0": [too_many()]}))
        evaluation = await one(Scripted(), n=2, store=store, scorer=Judging())
        spent, on_scoring = store.spent, store.spent_on_scoring
    assert evaluation.usage == Usage(2, 20, 10, 2 * PRICE.of(10, 5))
    assert on_scoring == Judging.cost + Judging.cost + Usage(3, 0, 0, Decimal(0))
    assert spent == evaluation.usage + on_scoring
    with SampleStore(tmp_path) as store:
        assert (store.spent, store.spent_on_scoring) == (spent, on_scoring)


async def test_scoring_that_fails_again_and_again_stays_an_error_and_no_run_is_repeated(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        for model in (Scripted(), unused := Scripted(), unused):
            evaluation = await one(model, store=store, scorer=Judging({"i0": [too_many()]}))
            assert evaluation.outcomes["error"] == 1
        assert unused.asked == [] and store.spent.calls == 1 + 3 * 3


async def test_a_fault_in_a_scorers_program_ends_the_evaluation_and_says_where() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        await one(Scripted(), scorer=Judging({"i0": [ZeroDivisionError()]}))
    assert caught.value.__notes__ == ["while evaluating one on b, item i0, repeat 0"]


async def test_samples_of_another_scorer_are_not_taken_for_this_ones(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        await one(Scripted(), store=store)
        with pytest.raises(ValueError, match=r"scored by 'strict', not 'judging', such as Key.*rescore"):
            await one(Scripted(), store=store, scorer=Judging())


async def test_an_answer_that_is_no_answer_never_reaches_a_judge() -> None:
    scorer = Judging()
    evaluation = await one(Scripted({"Question 0?": too_many()}, finish="length"), n=2, scorer=scorer)
    assert evaluation.outcomes["error"] == 1 and scorer.asked == ["i1"]


async def test_the_event_loop_goes_on_while_algebra_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> Score:
        time.sleep(0.3)
        return Score("correct", "4", 1.0)

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += bool(scoring.is_set())

    class Slowly(Scripted):
        async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
            completion = await super().complete(messages, sampling)
            scoring.set()
            return completion

    monkeypatch.setattr("masrepro.lab.grade.score", slow)
    ticks, scoring = 0, asyncio.Event()
    ticking = asyncio.create_task(tick())
    await evaluate(OneAgent(), [Item("i", "Question 0?", "4", "math")], models=Slowly(), benchmark="b")
    ticking.cancel()
    assert ticks >= 4
