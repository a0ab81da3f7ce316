"""Guesses without a model: what they say, and that they are near chance on items without a give-away."""

from masrepro.baselines.guess import COPY, MAJORITY, ZERO, accuracies, guesses
from masrepro.bench import Item, benchmark


def test_guesses_answer_every_question_of_an_item():
    items = benchmark("masbench/robustness/3", split="train", n=5)
    for guess in guesses(items).values():
        assert [guess(item).count("boxed") for item in items] == [3] * 5


def test_commonest_answer_is_counted_by_place():
    items = [Item(str(k), "?", answer, "exact_ints") for k, answer in enumerate([("4", "1"), ("4", "2"), ("3", "2")])]
    assert guesses(items)[MAJORITY](items[0]) == "Problem 1: \\boxed{4}\nProblem 2: \\boxed{2}"


def test_a_stated_number_can_be_copied_and_zero_needs_none():
    stated = Item("a", "The number of each A's B equals 7. What is the number of each A's B?", "7", "exact_int")
    silent = Item("b", "What is the number of each A's B?", "0", "exact_int")
    assert accuracies([stated], [silent]) == {COPY: 1.0, MAJORITY: 0.0, ZERO: 0.0}
    assert accuracies([silent], [silent]) == {COPY: 1.0, MAJORITY: 1.0, ZERO: 1.0}


def test_guesses_are_near_chance_on_deep_items():
    items, train = (benchmark("masbench/depth/8", split=split, n=400) for split in ("test", "train"))
    assert all(share < 0.12 for share in accuracies(items, train).values())
