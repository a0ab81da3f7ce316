"""Templates are canonical: equal for isomorphic graphs, blind to names, numbers and order."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from masrepro.bench.masbench.axes import plan
from masrepro.bench.masbench.graph import Problem, Quantity, joint_template
from masrepro.bench.masbench.names import PLACES, THINGS, all_names


def reordered(problem: Problem, rng: Random) -> Problem:
    """The same graph with its quantities in another topological order."""
    left, order = set(range(len(problem.quantities))), []
    while left:
        ready = [i for i in sorted(left) if not set(problem.quantities[i].parents) & left]
        order.append(rng.choice(ready))
        left.remove(order[-1])
    place = {old: new for new, old in enumerate(order)}
    quantities = [
        Quantity(q.form, q.constant, tuple(place[p] for p in q.parents), q.name)
        for q in (problem.quantities[old] for old in order)
    ]
    return Problem(tuple(quantities), place[problem.query])


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_template_is_the_same_in_any_order(depth, seed):
    (problem,) = plan("depth", depth, Random(seed))
    other = reordered(problem, Random(seed + 1))
    assert other.template == problem.template
    assert other.answer == problem.answer


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_joint_template_ignores_the_order_of_problems(value, seed):
    problems = plan("parallel", value, Random(seed))
    assert joint_template(problems) == joint_template(problems[::-1])


def test_template_tells_structure_apart():
    one, two = Quantity("constant", 3), Quantity("constant", 4)
    difference = Problem((one, two, Quantity("difference", 0, (0, 1))), 2)
    total = Problem((one, two, Quantity("sum", 0, (0, 1))), 2)
    asked_elsewhere = Problem(total.quantities, 0)
    swapped = Problem((one, two, Quantity("sum", 0, (1, 0))), 2)
    renumbered = Problem((two, one, Quantity("sum", 0, (0, 1))), 2)
    assert len({difference.template, total.template, asked_elsewhere.template}) == 3
    assert total.template == swapped.template == renumbered.template


def test_dead_numbers_are_found():
    x = Quantity("constant", 3)
    cancels = Problem((x, Quantity("more", 2, (0,)), Quantity("difference", 0, (1, 0))), 2)
    times_nothing = Problem((Quantity("constant", 0), Quantity("times", 5, (0,))), 1)
    alive = Problem((x, Quantity("times", 5, (0,))), 1)
    assert cancels.has_dead_number()
    assert times_nothing.has_dead_number()
    assert not alive.has_dead_number()


def test_numbers_that_the_query_does_not_need_are_not_dead():
    beside = Problem((Quantity("constant", 0), Quantity("times", 5, (0,)), Quantity("constant", 4)), 2)
    assert not beside.has_dead_number()
    assert Problem(beside.quantities, 1).has_dead_number()


def test_a_shape_is_shared_by_problems_that_differ_in_numbers_and_names():
    one = Problem((Quantity("constant", 3), Quantity("more", 2, (0,))), 1)
    other = Problem((Quantity("constant", 9), Quantity("more", 7, (0,))), 1).named(["A's B", "C's D"])
    assert one.shape is other.shape
    assert (one.depth, one.breadth, one.operations, one.sentences, one.carries) == (2, 1, 1, 2, False)
    assert one.cone == {0, 1}


def test_names_are_unambiguous():
    words = [*PLACES, *THINGS]
    assert len(set(words)) == len(words)
    assert all(word.isalpha() and word[0].isupper() for word in words)
    assert len(set(all_names())) == len(PLACES) * len(THINGS)
