"""The oracle: the orchestration that follows an item's true dependency graph. An upper bound, not a method.

No system can build it from the question alone; it tells what the best division of labour is worth to given
sub-agents.
"""

from __future__ import annotations

from collections.abc import Iterator

from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import Problem
from masrepro.orchestration.plan import Agent, Flow, Orchestration


class Oracle:
    """One agent for each arithmetic step of a single problem; one for each problem of a set, and a sink that
    gathers.
    """

    name = "oracle"

    def design(self, item: Item) -> Orchestration:
        """The item's own structure as an orchestration.

        Raises
        ------
        ValueError
            The item comes without its dependency graph.
        """
        if not item.problems:
            raise ValueError(f"item {item.id} has no dependency graph, so there is no oracle for it")
        return _star(item.problems) if len(item.problems) > 1 else _steps(item.problems[0])


def _steps(problem: Problem) -> Orchestration:
    """The query's cone: an agent a derived quantity, a flow a dependency; what the text states needs no agent."""
    derived = [i for i in sorted(problem.cone) if problem.quantities[i].form != "constant"]
    ids = {index: f"a{number}" for number, index in enumerate(derived, start=1)}
    agents = tuple(Agent(ids[i], "solver", f"Find the number of each {problem.quantities[i].name}.") for i in derived)
    flows = tuple(
        Flow(ids[parent], ids[i], f"the number of each {problem.quantities[parent].name}")
        for i in derived
        for parent in dict.fromkeys(problem.quantities[i].parents)
        if parent in ids
    )
    return Orchestration(agents, flows)


def _star(problems: tuple[Problem, ...]) -> Orchestration:
    """A worker a problem and one sink: the form that trained orchestrators come to (arXiv 2601.14652, figure C.2)."""
    sink = Agent("sink", "gatherer", "Give the final answers.")
    workers = tuple(_workers(problems))
    flows = tuple(Flow(worker.id, sink.id, f"Problem {k}") for k, worker in enumerate(workers, start=1))
    return Orchestration((*workers, sink), flows)


def _workers(problems: tuple[Problem, ...]) -> Iterator[Agent]:
    for k, problem in enumerate(problems, start=1):
        yield Agent(f"a{k}", "solver", f"Find the number of each {problem.quantities[problem.query].name}.")
