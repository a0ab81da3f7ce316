"""A run's cost limit and cache: it stops before the limit is exceeded, says so, and goes on under a higher one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fixture_home import FixtureHome
from logging_model import LoggingModel

from masrepro.baselines import SingleAgent
from masrepro.bench import benchmark
from masrepro.cli import main
from masrepro.lab import notebook
from masrepro.lab.cost import CostReached
from masrepro.lab.evaluate import Evaluation
from masrepro.lab.notebook import Run, open_run
from masrepro.models import Message, Price, Sampling

NAME = "01_five_axes"
RUN = ("run", NAME, "--profile", "smoke")
# A call costs 0.01 USD, and 1.024 USD are set aside for it: at 1.04 USD there is room for two.
PRICES = {"logging": [0, 2000]}


@pytest.fixture(autouse=True)
def kernel(fixture_home: FixtureHome, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fixture_home.install("evaluates", NAME)
    monkeypatch.setenv("MASREPRO_HOME", str(fixture_home.root))
    yield
    close_all()


def close_all() -> None:
    for run in notebook._open.values():
        run.close()
    notebook._open.clear()


def record(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_bytes())
    return found


def opened(**variables: Any) -> Run:
    close_all()
    return open_run(NAME, {"profile": "smoke", "n_samples": 4, "prices": PRICES, **variables})


async def evaluated(run: Run) -> Evaluation:
    """What the fixture notebook does."""
    items = benchmark("masbench/depth/2", n=4)
    price: Price | None = run.params.price_of("logging")
    model = LoggingModel(run.path / "calls.log", price=price)
    evaluation = await run.evaluate(SingleAgent(), items, models=model, benchmark="masbench/depth/2", concurrency=4)
    for file in run.params.files:
        run.save(file, json.dumps(str(evaluation.accuracy)))
    return evaluation


def n_calls(run: Run) -> int:
    log = run.path / "calls.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_run_from_the_command_line_is_incomplete_at_its_cost_limit(fixture_home: FixtureHome) -> None:
    options = ("-p", "n_samples", "4", "-p", "prices", json.dumps(PRICES), "--max-cost", "1.04")
    code, output = fixture_home.masrepro(*RUN, *options)
    (folder,) = fixture_home.runs()
    told = "the cost limit of 1.04 USD (0.02 USD spent) stopped 2 of 4 samples; raise it to go on"
    assert code == 1 and f"incomplete: {told}" in output
    assert "4 samples: at most 4 calls, " in output and " 4.10 USD; expected 4 calls, " in output
    found = record(folder)
    assert (found["status"], found["reason"], found["calls"]) == ("incomplete", told, 2)
    assert float(found["cost_usd"]) == 0.02
    assert json.loads((folder / "results.json").read_bytes())["accuracy"].endswith(", 2 stopped, 0-50 %")


async def test_the_same_run_with_a_higher_limit_resumes_and_repeats_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    first = opened(max_cost_usd=1.04)
    assert (await evaluated(first)).accuracy.stopped == 2
    first.finish()
    found = record(first.path)
    assert found["status"] == "incomplete" and "raise it to go on" in found["reason"]
    second = opened(max_cost_usd=9)
    assert second.path == first.path and "2 finished samples found" in capsys.readouterr().out
    assert (await evaluated(second)).accuracy.stopped == 0
    second.finish()
    found = record(first.path)
    assert (found["status"], found["reason"], found["calls"]) == ("complete", None, 4)
    assert found["params"]["max_cost_usd"] == 9 and n_calls(second) == 4


async def test_the_limit_holds_for_calls_outside_evaluations_too() -> None:
    run = opened(max_cost_usd=1.04)
    model = LoggingModel(run.path / "calls.log", price=run.params.price_of("logging"))
    (judge,) = run.models(model).values()
    sampling = Sampling(max_tokens=512)
    await judge.complete([Message("user", "fair?")], sampling)
    await judge.complete([Message("user", "fair?")], sampling)
    with pytest.raises(CostReached):
        await judge.complete([Message("user", "fair?")], sampling)
    assert (await evaluated(run)).accuracy.stopped == 4 and n_calls(run) == 2


async def test_a_new_run_takes_from_the_cache_what_was_asked_before(fixture_home: FixtureHome) -> None:
    first = opened(cache=True)
    answers = [sample.answer for sample in (await evaluated(first)).samples]
    first.finish()
    second = opened(cache=True)
    assert second.path != first.path
    evaluation = await evaluated(second)
    assert [sample.answer for sample in evaluation.samples] == answers
    assert (n_calls(first), n_calls(second), evaluation.usage.calls) == (4, 0, 0)
    assert (fixture_home.root / "outputs" / "replies.sqlite").is_file()


def test_limit_prices_and_cache_do_not_make_another_run() -> None:
    hashes = {
        opened(**changes).params.content_hash
        for changes in ({}, {"max_cost_usd": 5}, {"max_cost_usd": "1e-5"}, {"prices": {}}, {"cache": True})
    }
    assert len(hashes) == 1


def test_a_price_in_params_goes_before_the_listed_one() -> None:
    params = opened(prices={"gpt-4o-mini": [1, 2.5]}).params
    given = params.price_of("gpt-4o-mini")
    assert given == Price(Decimal(1), Decimal("2.5")) and given.source == "params"
    listed = params.price_of("gpt-4o")
    assert listed is not None and listed.source.startswith("https://")
    assert params.price_of("my-own-model") is None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--max-cost", "-1"), "max_cost_usd is -1: should be greater than 0"),
        (("--max-cost", "much"), "max_cost_usd is 'much': should be a valid number"),
        (("-p", "prices", "{logging: [1]}"), "prices.logging.1 is missing"),
        (("-p", "prices", "{logging: [-1, 1]}"), "prices.logging.0 is -1: should be greater than or equal to 0"),
    ],
)
def test_a_limit_or_a_price_that_is_none_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    assert main([*RUN, *arguments]) == 2
    assert told in capsys.readouterr().err
