"""Rows of a desk model's corpus as padded tensors, a step's worth at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from masrepro.train.desk_corpus import Row, draw_item, draw_rows, draw_sum, drill, recall
from masrepro.train.desk_own import Write, own_rows
from masrepro.train.desk_plans import naming, plan_row
from masrepro.train.desk_recipe import Clock
from masrepro.train.desk_repairs import repair_row
from masrepro.train.desk_staffing import staffing_row
from masrepro.train.desk_talks import draw_talk, naming_talk

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

Batch = list[tuple["torch.Tensor", "torch.Tensor"]]
"""Pairs of token ids and labels, both of shape (rows, tokens): the step's rows, and its drill where it has one."""

IGNORED = -100
"""Label of what does not count for the loss."""

_FACTS_PER_ROW = 16
_WIDTH_STEP = 64
SYSTEM_SHARE, STAFFING_SHARE, REPAIR_SHARE = 0.60, 0.18, 0.22
"""Of an orchestrator's rows that are not recall: one model is generator, implementer and rectifier of MAS²."""

Encoded = tuple[list[int], list[int]]
Corpus = Callable[["PreTrainedTokenizerFast", Random, Clock, Write], list[Encoded]]

_MADE: Mapping[Callable[..., Row], float] = {
    plan_row: SYSTEM_SHARE,
    staffing_row: STAFFING_SHARE,
    repair_row: REPAIR_SHARE,
}


def batches(tokenizer: PreTrainedTokenizerFast, rng: Random, clock: Clock, write: Write) -> list[Batch]:
    """Rows and drill of the next steps; rows of similar length share a step."""
    recipe = clock.recipe
    pool = CORPORA[recipe.corpus](tokenizer, rng, clock, write)
    groups: list[list[Encoded]] = [[]]
    for pair in sorted(pool, key=lambda pair: len(pair[0])):
        if groups[-1] and (len(groups[-1]) + 1) * _width([pair]) > recipe.batch_tokens:
            groups.append([])
        groups[-1].append(pair)
    rng.shuffle(groups)
    n_facts = clock.now(recipe.drill_facts)
    return [
        [_padded(part, tokenizer.pad_token_id) for part in (group, _encode_drill(tokenizer, rng, n_facts)) if part]
        for group in groups
    ]


def _solver_pool(tokenizer: PreTrainedTokenizerFast, rng: Random, clock: Clock, _: Write) -> list[Encoded]:
    recipe = clock.recipe
    cap, largest = clock.now(recipe.operation_caps), clock.now(recipe.largest_values)
    pool: list[Encoded] = []
    rows: list[Row] = []
    n_sums = round(recipe.pool_rows * clock.now(recipe.sum_share))
    while len(pool) + len(rows) < recipe.pool_rows - n_sums:
        item = draw_item(rng, largest)
        if rng.random() < clock.now(recipe.recall_share):
            pool.append(_encode_recall(tokenizer, *recall(item, rng, recipe.notation, recipe.asked_share)))
        else:
            rows.extend(row for row in draw_rows(rng, item, recipe.notation) if row.operations <= cap)
    rows += [draw_sum(rng, largest, recipe.notation) for _ in range(n_sums)]
    return [*pool, *_encode(tokenizer, rows)]


def _writer_pool(
    tokenizer: PreTrainedTokenizerFast, rng: Random, clock: Clock, write: Write, *, solves_first: bool = False
) -> list[Encoded]:
    """Systems, and calls of which only the names count, which are found in the question.

    One that does not solve first learns to staff and to repair systems as well.
    """
    recipe = clock.recipe
    largest, least = clock.now(recipe.largest_values), clock.now(recipe.least_agents)
    n_recalled = round(recipe.pool_rows * clock.now(recipe.recall_share))
    pool = [_encode_naming(tokenizer, *naming(rng, draw_item(rng, largest))) for _ in range(n_recalled)]
    n_written = recipe.pool_rows - n_recalled
    if solves_first:
        rows = [plan_row(rng, largest=largest, least=least, solves_first=True) for _ in range(n_written)]
    else:
        makers = rng.choices(list(_MADE), list(_MADE.values()), k=n_written)
        n_own = round(makers.count(plan_row) * clock.now(recipe.own_share))
        for _ in range(n_own):
            makers.remove(plan_row)
        rows = [make(rng, largest=largest, least=least) for make in makers]
        rows += own_rows(rng, write, n_own, largest=largest) if n_own else []
    return [*pool, *_encode(tokenizer, rows)]


def _talk_pool(tokenizer: PreTrainedTokenizerFast, rng: Random, clock: Clock, _: Write) -> list[Encoded]:
    """Conversations, and turns of which only the names count, which are found in the question."""
    recipe = clock.recipe
    largest, least = clock.now(recipe.largest_values), clock.now(recipe.least_agents)
    n_recalled = round(recipe.pool_rows * clock.now(recipe.recall_share))
    named = [naming_talk(rng, draw_item(rng, largest)) for _ in range(n_recalled)]
    talks = [draw_talk(rng, largest=largest, least=least) for _ in range(recipe.pool_rows - n_recalled)]
    return [
        *(_encode_pairs(tokenizer, f"<user>{question}", pairs) for question, pairs in named),
        *(_encode_pairs(tokenizer, f"<user>{talk.prompt}", talk.pairs) for talk in talks),
    ]


CORPORA: Mapping[str, Corpus] = {
    "solver": _solver_pool,
    "orchestrator": _writer_pool,
    "thinker": partial(_writer_pool, solves_first=True),
    "sequential": _talk_pool,
}
"""What a desk model can learn: to solve; to write, staff and repair systems; to solve and write; to write in turns."""


def _encode(tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> list[Encoded]:
    prompts = tokenizer([f"<user>{row.prompt}<assistant>" for row in rows], add_special_tokens=False)["input_ids"]
    replies = tokenizer([f"{row.reply}<end>" for row in rows], add_special_tokens=False)["input_ids"]
    return [(p + r, [IGNORED] * len(p) + r) for p, r in zip(prompts, replies, strict=True)]


def _encode_recall(tokenizer: PreTrainedTokenizerFast, question: str, said: Sequence[tuple[str, str]]) -> Encoded:
    return _encode_pairs(tokenizer, f"<user>{question}<assistant>", [(name, f"{what} ") for name, what in said])


def _encode_naming(tokenizer: PreTrainedTokenizerFast, question: str, named: Sequence[tuple[str, str]]) -> Encoded:
    return _encode_pairs(tokenizer, f"<user>{question}<assistant>", named)


def _encode_drill(tokenizer: PreTrainedTokenizerFast, rng: Random, n_facts: int) -> list[Encoded]:
    return [_encode_pairs(tokenizer, "", drill(rng, _FACTS_PER_ROW), ". ") for _ in range(0, n_facts, _FACTS_PER_ROW)]


def _encode_pairs(
    tokenizer: PreTrainedTokenizerFast, start: str, pairs: Sequence[tuple[str, str]], after: str = ""
) -> Encoded:
    """One row of (given, wanted) pairs; only what is wanted counts for the loss."""
    pieces = [start, *(piece for given, wanted in pairs for piece in (given, wanted, after))]
    encoded = tokenizer(pieces, add_special_tokens=False)["input_ids"]
    ids = [token for piece in encoded for token in piece]
    labels = [token if place % 3 == 2 else IGNORED for place, piece in enumerate(encoded) for token in piece]
    return ids, labels


def _width(rows: Sequence[Encoded]) -> int:
    """Tokens of the padded rows: one of few widths, since memory of ever other sizes makes steps slower and slower."""
    return -(-max(len(ids) for ids, _ in rows) // _WIDTH_STEP) * _WIDTH_STEP


def _padded(rows: Sequence[Encoded], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    width = _width(rows)
    ids = torch.tensor([ids + [pad] * (width - len(ids)) for ids, _ in rows])
    labels = torch.tensor([labels + [IGNORED] * (width - len(labels)) for _, labels in rows])
    return ids, labels
