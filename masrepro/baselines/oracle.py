"""The oracle: the orchestration that follows an item's true dependency graph. An upper bound, not a method.

No system can build it from the question alone; it tells what the best division of labour is worth to given
sub-agents.
"""

from __future__ import annotations

from collections.abc import Iterator

from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import Problem, SubTask
from masrepro.orchestration.plan import Agent, Flow, Orchestration


class Oracle:
    """One agent for each arithmetic step of a single problem; one for each problem of a set, and a sink that
    gathers. Problems that need one another's answers pass them on.
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
    derived = [i for i in sorted(problem.cone) if problem.quantities[i].parents]
    ids = {index: f"a{number}" for number, index in enumerate(derived, start=1)}
    agents = tuple(Agent(ids[i], "solver", f"Find the number of each {problem.quantities[i].name}.") for i in derived)
    flows = tuple(
        Flow(ids[parent], ids[i], f"the number of each {problem.quantities[parent].name}")
        for i in derived
        for parent in dict.fromkeys(problem.quantities[i].parents)
        if parent in ids
    )
    return Orchestration(agents, flows)


def _star(tasks: tuple[SubTask, ...]) -> Orchestration:
    """A worker a sub-task and one sink: the form that trained orchestrators come to (arXiv 2601.14652, figure C.2).

    A worker also hears the answer of the sub-task before, where it needs that.
    """
    workers = [Agent(f"a{k}", "solver", f"Find {task.asked}.") for k, task in enumerate(tasks, start=1)]
    sink = Agent("sink", "gatherer", "Give the final answers.")
    gathered = (Flow(worker.id, sink.id, f"Problem {k}") for k, worker in enumerate(workers, start=1))
    return Orchestration((*workers, sink), (*_carried(tasks), *gathered))


def _carried(tasks: tuple[SubTask, ...]) -> Iterator[Flow]:
    for k, task in enumerate(tasks, start=1):
        if isinstance(task, Problem) and task.carries:
            yield Flow(f"a{k - 1}", f"a{k}", f"Problem {k - 1}")
