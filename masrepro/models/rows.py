"""Many requests in one batch, in which no row can tell who shares it.

Every row is drawn with its own temperature, nucleus, seed, length limit and stop strings. What remains of the company
is rounding, since sums are taken in another order. In float32 that moves logits by about 1e-6, which flips a token
where two are that close. In float64 it is gone, as `generate` rounds logits to float32 before it compares them: texts
come out the same in any batch.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    DynamicCache,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    StoppingCriteria,
    StoppingCriteriaList,
)
from transformers.cache_utils import DynamicLayer

from masrepro.models.model import Finish, Sampling


def _is_not_kernel_advice(record: logging.LogRecord) -> bool:
    return torch.cuda.is_available() or "causal_conv1d" not in record.getMessage()


# For a CPU there is no such kernel to install, so that the advice to do so would only alarm.
logging.getLogger("transformers.integrations.hub_kernels").addFilter(_is_not_kernel_advice)


# Fewer rows than this gain nothing from leaving the finished ones behind.
_WORTH_A_REST = 8


@dataclass(frozen=True, slots=True)
class Row:
    """A prompt as token ids, and how to go on from it. ``sampling.seed`` is set unless the temperature is 0."""

    prompt: tuple[int, ...]
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class Drawn:
    """A row's completion. ``n_tokens`` counts the end-of-turn token and what a stop string cut off."""

    text: str
    n_tokens: int
    finish: Finish


@dataclass(frozen=True, slots=True)
class _Going:
    """A row on its way: its place among all rows, and what it has drawn so far."""

    place: int
    row: Row
    drawn: tuple[int, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        return (*self.row.prompt, *self.drawn)

    @property
    def left(self) -> int:
        return self.row.sampling.max_tokens - len(self.drawn)


def draw(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    ends: frozenset[int],
    rows: Sequence[Row],
    wanted: Callable[[int], bool],
) -> list[Drawn]:
    """Complete all rows in one batch, left-padded. When half of the rows are done, the others go on without them.

    Parameters
    ----------
    model, tokenizer
        A causal language model in evaluation mode and its tokenizer.
    ends : frozenset of int
        Ids of the tokens that end a turn.
    rows : sequence of Row
    wanted : callable
        Asked at every step; a row for which it answers False is given up, and what it holds by then comes back.
    """
    going = [_Going(place, row) for place, row in enumerate(rows)]
    finished: dict[int, Drawn] = {}
    while going:
        limits = _Limits(going, tokenizer, ends, wanted, model.device)
        drawn = _generated(model, tokenizer, ends, going, limits)
        left = []
        for one, ids, n_new, over in zip(going, drawn, limits.lengths, limits.over.tolist(), strict=True):
            so_far = (*one.drawn, *ids[:n_new])
            if over:
                finished[one.place] = _cut(tokenizer, ends, one.row, so_far)
            else:
                left.append(replace(one, drawn=so_far))
        going = left
    return [finished[place] for place in range(len(rows))]


def _generated(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    ends: frozenset[int],
    going: Sequence[_Going],
    limits: _Limits,
) -> list[list[int]]:
    """One `generate` call: new tokens of each row, until `_Limits` says stop."""
    device = model.device
    width = limits.width
    n_new = max(one.left for one in going)
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else min(ends)
    drawn = model.generate(
        input_ids=torch.tensor([[pad] * (width - len(one.ids)) + list(one.ids) for one in going], device=device),
        attention_mask=torch.tensor(
            [[0] * (width - len(one.ids)) + [1] * len(one.ids) for one in going], device=device
        ),
        generation_config=_plain(n_new, pad, ends),
        logits_processor=LogitsProcessorList([_Dice(going, device)] if any(_random(one.row) for one in going) else []),
        stopping_criteria=StoppingCriteriaList([limits]),
        **_roomy_cache(model, width + n_new),
    )
    new: list[list[int]] = drawn[:, width:].tolist()
    return new


def _random(row: Row) -> bool:
    return row.sampling.temperature > 0


def _plain(n_new: int, pad: int, ends: frozenset[int]) -> GenerationConfig:
    """Greedy and nothing else: a checkpoint's own repetition penalty or nucleus would otherwise join in silently."""
    return GenerationConfig(
        do_sample=False,
        num_beams=1,
        max_new_tokens=n_new,
        min_new_tokens=0,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        pad_token_id=pad,
        eos_token_id=sorted(ends),
    )


def _cut(tokenizer: PreTrainedTokenizerBase, ends: frozenset[int], row: Row, ids: Sequence[int]) -> Drawn:
    finish: Finish = "length"
    for index, token in enumerate(ids):
        if token in ends:
            ids, finish = ids[: index + 1], "stop"
            break
    text = tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
    stops = [at for at in map(text.find, row.sampling.stop) if at >= 0]
    if stops:
        return Drawn(text[: min(stops)], len(ids), "stop")
    return Drawn(text, len(ids), finish)


class _Limits(StoppingCriteria):  # type: ignore[misc]
    """Ends each row at its own limit, at its own stop strings, or when nobody wants it any more; and all of them for a
    while, when half of them are done.

    ``over`` tells which rows are done, ``lengths`` how many of a row's new tokens count; padding behind an end-of-turn
    token may be among them.
    """

    def __init__(
        self,
        going: Sequence[_Going],
        tokenizer: PreTrainedTokenizerBase,
        ends: frozenset[int],
        wanted: Callable[[int], bool],
        device: torch.device,
    ) -> None:
        self.width = max(len(one.ids) for one in going)
        self.lengths = [one.left for one in going]
        self.over = torch.zeros(len(going), dtype=torch.bool, device=device)
        self._going = going
        self._tokenizer = tokenizer
        self._wanted = wanted
        self._ends = torch.tensor(sorted(ends), device=device)
        self._limits = torch.tensor(self.lengths, device=device)
        self._stops = {index: one.row.sampling.stop for index, one in enumerate(going) if one.row.sampling.stop}

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        n_new = input_ids.shape[1] - self.width
        over = [index for index, one in enumerate(self._going) if not self._wanted(one.place)]
        for index, stops in self._stops.items():
            drawn = [*self._going[index].drawn, *input_ids[index, self.width :].tolist()]
            if n_new < self.lengths[index] and self._stopped(drawn, stops):
                self.lengths[index] = n_new
                over.append(index)
        self.over |= (self._limits <= n_new) | torch.isin(input_ids[:, -1], self._ends)
        self.over[over] = True
        n_over = int(self.over.sum())
        if len(self._going) >= _WORTH_A_REST and 2 * n_over >= len(self._going):
            return torch.ones_like(self.over)
        return self.over

    def _stopped(self, ids: list[int], stops: tuple[str, ...]) -> bool:
        """Whether the text holds a stop string. A token is a byte at least, so the tail is looked at first."""
        tail = ids[-max(len(stop.encode()) for stop in stops) - 1 :]
        return self._holds(tail, stops) and self._holds(ids, stops)

    def _holds(self, ids: list[int], stops: tuple[str, ...]) -> bool:
        text = self._tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return any(stop in text for stop in stops)


class _Dice(LogitsProcessor):  # type: ignore[misc]
    """Draws each row's token by its own generator and leaves only that one possible, so that greedy decoding takes it.

    A row's luck depends on its seed and its prompt, not on the batch: one seed for a whole run then does not give the
    same luck to every prompt in it.
    """

    def __init__(self, going: Sequence[_Going], device: torch.device) -> None:
        rows = [one.row for one in going]
        luck = [_luck(one.row)[len(one.drawn) :] for one in going]
        self._luck = pad_sequence(luck, batch_first=True).to(device)
        self._step = 0
        self._random = torch.tensor([[_random(row)] for row in rows], device=device)
        self._temperature = torch.tensor(
            [[row.sampling.temperature if _random(row) else 1.0] for row in rows], device=device, dtype=torch.float64
        )
        self._narrow = [index for index, row in enumerate(rows) if row.sampling.top_p < 1]
        self._top_p = torch.tensor(
            [[rows[index].sampling.top_p] for index in self._narrow], device=device, dtype=torch.float64
        )

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        chances = torch.softmax(scores.double() / self._temperature, dim=-1)
        if self._narrow:
            chances[self._narrow] = _nucleus(chances[self._narrow], self._top_p)
        mass = chances.cumsum(dim=-1)
        luck = self._luck[:, self._step, None] * mass[:, -1:]
        self._step += 1
        token = torch.searchsorted(mass, luck, right=True).clamp(max=scores.shape[1] - 1)
        only = torch.full_like(scores, -torch.inf).scatter_(1, token, 0.0)
        return torch.where(self._random, only, scores)


def _luck(row: Row) -> torch.Tensor:
    """Uniform numbers in [0, 1), one a token, from the row's seed and prompt alone."""
    digest = hashlib.blake2b(repr((row.sampling.seed, row.prompt)).encode(), digest_size=8).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest) >> 1)
    return torch.rand(row.sampling.max_tokens, generator=generator, dtype=torch.float64)


def _nucleus(chances: torch.Tensor, top_p: torch.Tensor) -> torch.Tensor:
    """Chances with everything outside the smallest set of likeliest tokens that holds ``top_p`` put to 0."""
    ordered, index = chances.sort(dim=-1, descending=True, stable=True)
    ordered[ordered.cumsum(dim=-1) - ordered >= top_p] = 0.0
    return torch.zeros_like(chances).scatter_(1, index, ordered)


def _roomy_cache(model: PreTrainedModel, n_tokens: int) -> dict[str, DynamicCache]:
    """Generate's keyword for a cache with room for all tokens.

    The stock cache copies the whole past at every token, which on a CPU takes a third to two thirds of the time.
    """
    if model.device.type != "cpu" or not model._supports_default_dynamic_cache():
        return {}
    cache = DynamicCache(config=model.config.get_text_config(decoder=True))
    cache.layers = [_RoomyLayer(n_tokens) if type(layer) is DynamicLayer else layer for layer in cache.layers]
    parameters = inspect.signature(model.forward).parameters
    return {"cache" if "cache" in parameters else "past_key_values": cache}


class _RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """Keys and values of one attention layer, written in place into room that was taken once."""

    def __init__(self, n_tokens: int) -> None:
        super().__init__()
        self._n_tokens = n_tokens

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        super().lazy_initialization(key_states, value_states)
        self._all_keys, self._all_values = (
            states.new_empty((*states.shape[:2], self._n_tokens, states.shape[3]))
            for states in (key_states, value_states)
        )

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        start = self.get_seq_length()
        end = start + key_states.shape[-2]
        self._all_keys[:, :, start:end] = key_states
        self._all_values[:, :, start:end] = value_states
        self.keys, self.values = self._all_keys[:, :, :end], self._all_values[:, :, :end]
        return self.keys, self.values
