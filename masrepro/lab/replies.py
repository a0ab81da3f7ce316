"""Several replies of one model to each item, asked as a single agent would be."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from masrepro.agents.agent import Task
from masrepro.agents.cot import cot_messages
from masrepro.baselines.single_agent import SingleAgent
from masrepro.bench import Item
from masrepro.lab.evaluate import sample_seed
from masrepro.models.model import Completion, Model, Sampling


async def draw_replies(
    model: Model, items: Sequence[Item], n_repeats: int, sampling: Sampling
) -> list[list[Completion]]:
    """For each item ``n_repeats`` completions, all asked at once; their seeds differ by item and repeat.

    Raises
    ------
    ModelError
        The model could not be asked.
    """

    async def replies(item: Item) -> list[Completion]:
        messages = cot_messages(Task(item.question, SingleAgent().design(item).agents[0]))
        seeds = [sample_seed(sampling.seed or 0, item.id, repeat) for repeat in range(n_repeats)]
        return list(await asyncio.gather(*(model.complete(messages, replace(sampling, seed=seed)) for seed in seeds)))

    return list(await asyncio.gather(*map(replies, items)))
