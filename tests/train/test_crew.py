"""Several processes train what one would train; none is left behind."""

from __future__ import annotations

import multiprocessing
import os
import time
from dataclasses import replace

import pytest

from masrepro.train.crew import Crew, crew_of
from masrepro.train.desk_training import train
from tests.train.test_desk_training import SMALL, weights

SHORT = replace(SMALL, tokens=12_000, decay_tokens=4_000)


@pytest.fixture(scope="module")
def by_two(tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tmp_path_factory.mktemp("two")
    return weights(train(SHORT, folder, processes=2, n_checked=1, report=lambda _: None))


def test_two_processes_train_what_one_trains_up_to_rounding(by_two, tmp_path):
    import torch

    by_one = weights(train(SHORT, tmp_path, n_checked=1, report=lambda _: None))
    for name, weight in by_two.items():
        torch.testing.assert_close(weight, by_one[name], atol=2e-3, rtol=2e-2)
    assert multiprocessing.active_children() == []


def test_two_processes_go_on_where_they_stopped(by_two, tmp_path):
    import torch

    class Stopped(Exception):
        pass

    def stop(line: str) -> None:
        if "done" in line:
            raise Stopped

    part = replace(SHORT, tokens=6_000, decay_tokens=1)
    with pytest.raises(Stopped):
        train(part, tmp_path / "part", processes=2, n_checked=1, report=stop)
    rest = train(SHORT, tmp_path / "rest", start=tmp_path / "part", processes=2, n_checked=1, report=lambda _: None)
    for name, weight in weights(rest).items():
        assert torch.equal(weight, by_two[name]), name


def add_once(crew: Crew) -> None:
    import torch

    crew.add_up([torch.ones(2)])


def add_for_ever(crew: Crew) -> None:
    import torch

    while True:
        crew.add_up([torch.ones(2)])


def end_at_once(crew: Crew) -> None:
    os._exit(3)


def fail_at_the_end(crew: Crew) -> None:
    add_once(crew)
    raise ArithmeticError("after its last sum")


def test_sums_and_the_leaders_value_reach_everyone():
    import torch

    with crew_of(3, add_once) as crew:
        own = torch.tensor([1.0, 5.0])
        crew.add_up([own])
    assert own.tolist() == [3.0, 7.0]


def test_rows_are_shared_whole():
    import torch

    rows = torch.arange(7)
    shares = [Crew(place, 3).share(rows) for place in range(3)]
    assert sorted(torch.cat(shares).tolist()) == rows.tolist()
    assert Crew(2, 3).share(rows[:2]).tolist() == []


def test_a_helper_that_ends_before_its_time_is_told():
    import torch

    with pytest.raises(ChildProcessError, match="has ended"), crew_of(2, end_at_once) as crew:
        crew.add_up([torch.ones(1)])


def test_a_helper_that_fails_behind_its_last_sum_is_told_at_once():
    import torch

    began = time.monotonic()
    with pytest.raises(ChildProcessError, match="has ended"), crew_of(2, fail_at_the_end) as crew:
        crew.add_up([torch.ones(2)])
    assert time.monotonic() - began < 120


def test_what_the_leader_raises_comes_through_and_helpers_end_in_order():
    import torch

    with pytest.raises(ZeroDivisionError), crew_of(2, add_for_ever) as crew:
        crew.add_up([torch.ones(2)])
        (helper,) = multiprocessing.active_children()
        raise ZeroDivisionError
    assert helper.exitcode == 0
