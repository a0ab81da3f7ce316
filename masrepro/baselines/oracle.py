"""The oracle: the orchestration that follows an item's true dependency graph. An upper bound, not a method.

No system can build it from the question alone; it tells what the best division of labour is worth to given
sub-agents.
"""

from __future__ import annotations

from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import Problem, SubTask
from masrepro.orchestration.plan import Agent, Flow, Orchestration

_SINK = Agent("sink", "gatherer", "Give the final answers.")


class Oracle:
    """One agent for each quantity that is computed, a flow for each dependency; where there are several problems, a
    sink that gathers their answers.
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
        agents: list[Agent] = []
        flows: list[Flow] = []
        answered_by: list[str] = []
        for task in item.problems:
            more_agents, more_flows = _steps(task, len(agents), answered_by)
            agents += more_agents
            flows += more_flows
            answered_by.append(more_agents[-1].id)
        if len(item.problems) > 1:
            agents.append(_SINK)
            flows += _gathering(answered_by)
        return Orchestration(tuple(agents), tuple(flows))


class Star:
    """One worker for each problem and one sink, the form that trained orchestrators come to (arXiv 2601.14652, figure
    C.2); a worker also hears the answer of the problem before, where it needs that.
    """

    name = "star"

    def design(self, item: Item) -> Orchestration:
        """The star over the item's problems; a single agent where there is one.

        Raises
        ------
        ValueError
            The item does not say what its problems are.
        """
        if not item.problems:
            raise ValueError(f"item {item.id} does not say what its problems are, so there is no star for it")
        workers = [Agent(f"a{k}", "solver", f"Solve Problem {k}.") for k in range(1, len(item.problems) + 1)]
        if len(workers) == 1:
            return Orchestration((Agent("a1", "solver", f"Find {item.problems[0].asked}."),))
        relays = [
            Flow(f"a{k - 1}", f"a{k}", f"Problem {k - 1}")
            for k, task in enumerate(item.problems, start=1)
            if isinstance(task, Problem) and task.carries
        ]
        return Orchestration((*workers, _SINK), (*relays, *_gathering([worker.id for worker in workers])))


def _gathering(answered_by: list[str]) -> list[Flow]:
    """Flows that bring each problem's answer to the sink."""
    return [Flow(agent, _SINK.id, f"Problem {k}") for k, agent in enumerate(answered_by, start=1)]


def _steps(task: SubTask, n_before: int, answered_by: list[str]) -> tuple[list[Agent], list[Flow]]:
    """The query's cone: an agent a computed quantity, a flow a dependency; what the text states needs no agent.

    ``answered_by`` names the agents that answer the problems before, the last of which a carried answer comes from.
    """
    if not isinstance(task, Problem):
        return [Agent(f"a{n_before + 1}", "solver", f"Find {task.asked}.")], []
    computed = [i for i in sorted(task.cone) if task.quantities[i].parents]
    ids = {index: f"a{number}" for number, index in enumerate(computed, start=n_before + 1)}
    agents = [Agent(ids[i], "solver", f"Find the number of each {task.quantities[i].name}.") for i in computed]
    flows = []
    for index in computed:
        for parent in dict.fromkeys(task.quantities[index].parents):
            read = task.quantities[parent]
            if parent in ids:
                flows.append(Flow(ids[parent], ids[index], f"the number of each {read.name}"))
            elif read.form == "carried":
                flows.append(Flow(answered_by[-1], ids[index], f"Problem {len(answered_by)}"))
    return agents, flows
