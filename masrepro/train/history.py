"""What happened in a training, step by step: one JSON line a step, from which every curve is drawn."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path

from masrepro.models.model import Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.train.rollout import Rollout

GATHERER = "gatherer"
"""Role of an agent that puts others' answers together."""


@dataclass(frozen=True, slots=True)
class Step:
    """One batch: sampled, run, learned from. Shares and means are over its completions; None where there is nothing.

    Parameters
    ----------
    step : int
        From 1.
    reward : float
        Mean.
    zero_variance : float
        Share of groups whose completions all got the same reward, from which nothing is learned.
    valid : float
        Share of completions that are valid systems.
    outcomes : mapping of str to int
        Completions by `Rollout.outcome`.
    rejected : mapping of str to int
        Completions by the reason for which they are no system.
    by_task : mapping of str to float
        Mean reward by benchmark and degree of MAS.
    plan_tokens : float
        Mean length of a completion.
    calls, drawn_calls : int
        Calls of all sub-agents, and those of them that no equal call had drawn.
    prompt_tokens, reply_tokens : int
        Of the drawn calls.
    cost_usd : str or None
        Of these, in US dollars; None where it is unknown.
    agents : mapping of str to int
        Valid systems by number of agents.
    workflows : mapping of str to int
        Agents of valid systems by workflow.
    longest_chain, width : float or None
        Mean over valid systems.
    direct, whole, sink_asks, sink_gathers : float or None
        Share of valid systems that answer directly; in which an agent without inputs gets the whole question; whose
        sink is asked the question itself; whose sink is a gatherer.
    learning : mapping of str to float
        What the trainer reports: loss, grad_norm, entropy, kl, learning_rate.
    seconds : mapping of str to float
        Wall-clock time: ``sampling``, ``execution`` (of it ``waiting`` for sub-agents), ``update``.
    turns : float
        Mean turns of a completion: 1, but for a sequential orchestrator.
    """

    step: int
    reward: float
    zero_variance: float
    valid: float
    outcomes: Mapping[str, int]
    rejected: Mapping[str, int]
    by_task: Mapping[str, float]
    plan_tokens: float
    calls: int
    drawn_calls: int
    prompt_tokens: int
    reply_tokens: int
    cost_usd: str | None
    agents: Mapping[str, int]
    workflows: Mapping[str, int]
    longest_chain: float | None
    width: float | None
    direct: float | None
    whole: float | None
    sink_asks: float | None
    sink_gathers: float | None
    learning: Mapping[str, float]
    seconds: Mapping[str, float]
    turns: float = 1.0

    @property
    def usage(self) -> Usage:
        """What the sub-agents cost."""
        cost = None if self.cost_usd is None else Decimal(self.cost_usd)
        return Usage(self.drawn_calls, self.prompt_tokens, self.reply_tokens, cost)

    @property
    def mean_agents(self) -> float | None:
        """Agents of a valid system; a direct answer has none."""
        n_systems = sum(self.agents.values())
        return sum(int(size) * count for size, count in self.agents.items()) / n_systems if n_systems else None


def step_of(
    step: int,
    judged: Sequence[tuple[Rollout, float]],
    learning: Mapping[str, float],
    seconds: Mapping[str, float],
) -> Step:
    """The record of a step, from its rollouts and their rewards."""
    plans = [rollout.plan for rollout, _ in judged if rollout.plan is not None]
    usage = sum((rollout.usage for rollout, _ in judged), Usage())
    groups: dict[int, list[float]] = defaultdict(list)
    tasks: dict[str, list[float]] = defaultdict(list)
    for rollout, reward in judged:
        groups[rollout.attempt.place].append(reward)
        tasks[f"{rollout.attempt.assignment.cell} {rollout.attempt.assignment.dom}"].append(reward)
    return Step(
        step=step,
        reward=_mean(reward for _, reward in judged) or 0.0,
        zero_variance=_mean(float(min(group) == max(group)) for group in groups.values()) or 0.0,
        valid=len(plans) / len(judged),
        outcomes=_counted(rollout.outcome for rollout, _ in judged),
        rejected=_counted(rollout.reason for rollout, _ in judged if rollout.reason is not None),
        by_task={task: sum(rewards) / len(rewards) for task, rewards in sorted(tasks.items())},
        plan_tokens=_mean(rollout.attempt.n_tokens for rollout, _ in judged) or 0.0,
        calls=sum(rollout.n_calls for rollout, _ in judged),
        drawn_calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        reply_tokens=usage.completion_tokens,
        cost_usd=None if usage.cost_usd is None else str(usage.cost_usd),
        agents=_counted(f"{len(plan.agents)}" for plan in plans),
        workflows=_counted(agent.workflow for plan in plans for agent in plan.agents),
        longest_chain=_mean(plan.longest_chain for plan in plans),
        width=_mean(plan.width for plan in plans),
        direct=_mean(plan.answer is not None for plan in plans),
        whole=_mean(map(_hands_on_the_whole, plans)),
        sink_asks=_mean(_sink_is(plan, lambda role, goal: not goal) for plan in plans),
        sink_gathers=_mean(_sink_is(plan, lambda role, goal: role == GATHERER) for plan in plans),
        learning=learning,
        seconds={name: round(value, 3) for name, value in seconds.items()},
        turns=_mean(rollout.attempt.n_turns for rollout, _ in judged) or 1.0,
    )


class History:
    """The file of steps. A training that goes on from a checkpoint drops what came after it.

    Parameters
    ----------
    path : Path
        JSON lines; need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, step: Step) -> None:
        """Write a step behind the others."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(step)) + "\n")

    def keep(self, n_steps: int) -> None:
        """Keep the first ``n_steps`` steps only."""
        steps = [step for step in read_history(self.path) if step.step <= n_steps]
        aside = self.path.with_suffix(".tmp")
        aside.write_text("".join(json.dumps(asdict(step)) + "\n" for step in steps), encoding="utf-8")
        aside.replace(self.path)


def read_history(path: Path) -> list[Step]:
    """The steps of a file, without a last line that was torn by a killed process; none where there is no file."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [Step(**json.loads(line)) for line in lines if line.endswith("\n")]


def _hands_on_the_whole(plan: Orchestration) -> bool:
    return any(not plan.agent(source).goal for source in plan.sources)


def _sink_is(plan: Orchestration, what: Callable[[str, str], bool]) -> bool:
    if plan.sink is None:
        return False
    sink = plan.agent(plan.sink)
    return what(sink.role, sink.goal)


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return sum(known) / len(known) if known else None
