"""What an evaluation will cost, before its first call: the most that it can, and what to expect.

Where a system's designs are known beforehand, calls are counted from them; else from a stated cap on the calls of a
sample. Not here: holding the run to a limit (`cost`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from inspect import iscoroutinefunction
from typing import Any

from masrepro.agents.agent import NeedsTools, SubAgent
from masrepro.agents.registry import NoImplementation, sub_agent
from masrepro.bench import Item
from masrepro.models.model import Message, Model, Pool, Sampling, Usage
from masrepro.models.request import estimated_tokens, most_tokens
from masrepro.orchestration import Agent, Orchestration, OrchestrationError

CAP = 16
"""Calls of a sample where neither its design nor its budget says how many."""
MOST_INSTRUCTION_TOKENS, EXPECTED_INSTRUCTION_TOKENS = 2000, 150
"""Of what a workflow adds to a question of its own accord: instructions, names of roles, numbering."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens and money of an evaluation; retries not counted, replies from a cache counted as if drawn.

    Parameters
    ----------
    n_samples : int
        Samples that are to be run.
    most : Usage
        The most that they can spend.
    expected : Usage
        What they will spend if replies are as long as assumed.
    basis : str
        What both rest on, in words.
    """

    n_samples: int
    most: Usage
    expected: Usage
    basis: str

    def __str__(self) -> str:
        samples = f"{self.n_samples:,} sample{'' if self.n_samples == 1 else 's'}"
        return f"{samples}: at most {_worded(self.most)}; expected {_worded(self.expected)} ({self.basis})"


def estimate(
    system: Any,
    jobs: Sequence[tuple[Item, int]],
    *,
    models: Pool | Model | Mapping[str, Model],
    sampling: Sampling,
    max_calls: int | None = None,
    rationale_chars: int = 400,
    sub_agents: Mapping[str, SubAgent] | None = None,
    seen: Usage = Usage(),
) -> Estimate:
    """Estimate what a system will cost on items.

    Parameters
    ----------
    system : Designer
        Asked for its designs, unless ``design`` is a coroutine: then a model draws them.
    jobs : sequence of (Item, int)
        How many samples of each item are to be run.
    models, sampling, rationale_chars, sub_agents
        As for `masrepro.evaluate`.
    max_calls : int or None
        The most calls of one sample, where its budget bounds them.
    seen : Usage
        What earlier samples of this system have spent: the expected length of prompts and replies. Without any,
        prompts are taken at four bytes a token, and replies at half of ``max_tokens``.
    """
    pool = Pool.of(models)
    most, expected = Usage(), Usage()
    designs_are_known = not iscoroutinefunction(system.design)
    cap = CAP if max_calls is None else max_calls
    for item, n_samples in jobs:
        if designs_are_known:
            calls = _calls(system, item, pool, sampling, rationale_chars, sub_agents, max_calls)
        else:
            calls = [_Call(None, cap, (_asked(item),), sampling.max_tokens, is_open=True)]
        for call in calls:
            model = pool.backbone(call.backbone)
            most += _times(n_samples, call.most(model), model)
            expected += _times(n_samples, call.expected(model, seen), model)
    lengths = f"lengths as in {seen.calls:,} calls so far" if seen.calls else "replies half of max_tokens long"
    source = "calls of the known designs" if designs_are_known else f"{cap} calls a sample, the cap"
    return Estimate(sum(n_samples for _, n_samples in jobs), most, expected, f"{source}; {lengths}")


@dataclass(frozen=True, slots=True)
class _Call:
    """``n`` calls of one agent: what goes into their prompts; ``is_open`` if more may, such as what tools find."""

    backbone: str | None
    n: int
    messages: tuple[Message, ...]
    max_tokens: int
    n_inputs: int = 0
    rationale_chars: int = 0
    is_open: bool = False

    def most(self, model: Model) -> Usage:
        """An agent may be sent, besides its task, what flows in, and all that it wrote in its earlier calls."""
        room = max(model.context_tokens - self.max_tokens, 0)
        task = most_tokens(self.messages) + MOST_INSTRUCTION_TOKENS
        inputs = self.n_inputs * (self.max_tokens + 4 * self.rationale_chars)
        prompt = room if self.is_open else min(task + inputs + (self.n - 1) * self.max_tokens, room)
        return Usage(self.n, self.n * prompt, self.n * self.max_tokens)

    def expected(self, model: Model, seen: Usage) -> Usage:
        if seen.calls:
            prompt, completion = (round(self.n * n / seen.calls) for n in (seen.prompt_tokens, seen.completion_tokens))
            return Usage(self.n, prompt, completion)
        inputs = self.n_inputs * min(self.max_tokens // 2, 16 + self.rationale_chars // 4)
        prompt = estimated_tokens(self.messages) + EXPECTED_INSTRUCTION_TOKENS + inputs
        return Usage(self.n, self.n * prompt, self.n * max(self.max_tokens // 2, 1))


def _calls(
    system: Any,
    item: Item,
    pool: Pool,
    sampling: Sampling,
    rationale_chars: int,
    sub_agents: Mapping[str, SubAgent] | None,
    max_calls: int | None,
) -> list[_Call]:
    """Of one sample; none where its design is invalid or cannot be staffed."""
    try:
        plan: Orchestration = system.design(item)
        workers = [sub_agent(agent.workflow, sub_agents) for agent in plan.agents]
    except (OrchestrationError, NoImplementation):
        return []
    if any(agent.backbone not in (None, *pool) for agent in plan.agents):
        return []
    calls, left = [], max_calls
    for agent, worker in zip(plan.agents, workers, strict=True):
        n = worker.n_calls(agent) if left is None else min(worker.n_calls(agent), left)
        left = None if left is None else left - n
        uses_tools = bool(worker.needs_tools(agent) if isinstance(worker, NeedsTools) else agent.tools)
        messages = (_asked(item), Message("user", _task(agent)))
        n_inputs = len(plan.inputs(agent.id))
        calls.append(_Call(agent.backbone, n, messages, sampling.max_tokens, n_inputs, rationale_chars, uses_tools))
    return [call for call in calls if call.n]


def _asked(item: Item) -> Message:
    return Message("user", item.question)


def _task(agent: Agent) -> str:
    return "\n".join((agent.role, agent.goal, *agent.roles))


def _times(n: int, usage: Usage, model: Model) -> Usage:
    prompt, completion = n * usage.prompt_tokens, n * usage.completion_tokens
    return Usage(n * usage.calls, prompt, completion, model.price.of(prompt, completion) if model.price else None)


def _worded(usage: Usage) -> str:
    tokens = f"{usage.prompt_tokens:,} prompt and {usage.completion_tokens:,} completion tokens"
    return f"{usage.calls:,} call{'' if usage.calls == 1 else 's'}, {tokens}, {usd_text(usage.cost_usd)}"


def usd_text(usd: Decimal | None) -> str:
    """Money for people: two decimals from a dollar on, else two digits that count; ``cost unknown``."""
    if usd is None:
        return "cost unknown"
    if not usd:
        return "0 USD"
    return f"{usd:.2f} USD" if usd >= 1 else f"{round(usd, 1 - usd.adjusted()):f} USD"
