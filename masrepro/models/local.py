"""A local engine: any `transformers` causal language model, with concurrent requests computed in batches.

`Local` knows messages, limits and prices; who shares a batch is decided in `lane`, and what happens in it in `rows`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import SystemRandom
from typing import cast

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from masrepro.models.lane import lane_to
from masrepro.models.model import (
    FREE,
    Completion,
    ContextOverflow,
    Message,
    Price,
    RequestRefused,
    Sampling,
    Unavailable,
    Usage,
)
from masrepro.models.rows import Drawn, Row, draw

_FLOATS = {name: getattr(torch, name) for name in ("float64", "float32", "bfloat16", "float16")}


class Local:
    """A language model in this process, satisfying `Model`.

    Requests made concurrently are computed in one `generate` call, in a thread of their own. A request's text does not
    depend on which others share its batch, except by rounding; with ``dtype="float64"`` it is the same in any batch.

    Parameters
    ----------
    model : path, str or PreTrainedModel
        A checkpoint folder, a hub id, or a loaded model, which is converted and put into evaluation mode in place.
    tokenizer : PreTrainedTokenizerBase or None
        With a chat template. None loads the one that lies with the checkpoint.
    name : str or None
        The name under which a `Pool` holds it; None takes the folder's or the hub id's last part.
    dtype : str or None
        ``"float64"``, ``"float32"``, ``"bfloat16"`` or ``"float16"``; None keeps what the checkpoint has.
    max_batch : int
        Most rows in one batch.
    context_tokens : int or None
        Bound on prompt plus completion; None takes the model's own.
    price : Price or None
        What a call is charged with; local models are free unless told otherwise.
    device : str
        Where it runs. Models on one device take turns.
    revision : str or None
        Names the weights. None gives the hub's commit, or else a hash of the weights. A hub id is loaded at it.

    Notes
    -----
    ``usage.prompt_tokens`` counts no padding; ``usage.completion_tokens`` counts the end-of-turn token, and the tokens
    that a stop string cut off. Equal greedy requests in a batch, and equal sampled ones with equal seeds, are computed
    once and charged to each. A sampled request without a seed gets a fresh one.

    Left padding leaves a row's result alone in attention and in LFM2's short convolutions (masked inputs are zero there
    because ``conv_bias`` is off in every published checkpoint).
    """

    def __init__(
        self,
        model: str | Path | PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase | None = None,
        *,
        name: str | None = None,
        dtype: str | None = None,
        max_batch: int = 64,
        context_tokens: int | None = None,
        price: Price | None = FREE,
        device: str = "cpu",
        revision: str | None = None,
    ) -> None:
        if max_batch < 1:
            raise ValueError(f"max_batch is {max_batch}; a batch needs at least one row")
        if dtype is not None and dtype not in _FLOATS:
            raise ValueError(f"dtype is {dtype!r}; it must be one of {', '.join(_FLOATS)}, or None")
        loaded = model if isinstance(model, PreTrainedModel) else _load(model, revision)
        self.revision = revision or getattr(loaded.config, "_commit_hash", None) or _weights_hash(loaded)
        self._model = _placed(loaded, device, dtype)
        self._tokenizer = tokenizer or AutoTokenizer.from_pretrained(loaded.name_or_path, revision=revision)
        self.name = name or Path(loaded.name_or_path).name or type(loaded).__name__
        if not self._tokenizer.chat_template:
            raise ValueError(
                f"the tokenizer of {self.name!r} has no chat template, so messages cannot be put to the model; "
                "take an instruction-tuned checkpoint or set tokenizer.chat_template"
            )
        self.context_tokens = context_tokens or loaded.config.get_text_config().max_position_embeddings
        self.price = price
        self._max_batch = max_batch
        self._ends = _end_tokens(self._model, self._tokenizer)

    def __repr__(self) -> str:
        return (
            f"Local({self.name!r}, revision={self.revision!r}, dtype={self._model.dtype}, device={self._model.device})"
        )

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """Draw one completion.

        Raises
        ------
        ContextOverflow
            Prompt and ``max_tokens`` together do not fit the context.
        RequestRefused
            ``max_tokens`` is below 1, or the chat template does not take these messages.
        Unavailable
            The computation failed, for example for want of memory.
        """
        row = self._row(messages, sampling)
        lane = lane_to(str(self._model.device))
        try:
            drawn: Drawn = await lane.result(self, row)
        except Exception as error:
            raise Unavailable(
                f"{self.name}: the batch could not be computed ({type(error).__name__}: {error}); "
                f"if memory ran out, lower max_batch (now {self._max_batch})",
                usage=Usage(calls=1),
            ) from error
        n_prompt = len(row.prompt)
        cost_usd = self.price.of(n_prompt, drawn.n_tokens) if self.price else None
        return Completion(drawn.text, drawn.finish, Usage(1, n_prompt, drawn.n_tokens, cost_usd))

    def choose(self, requests: Sequence[Row]) -> list[int]:
        """The oldest request and those nearest to it in length, so that little of the batch is padding."""
        nearest = sorted(range(len(requests)), key=lambda i: abs(len(requests[i].prompt) - len(requests[0].prompt)))
        return nearest[: self._max_batch]

    def compute(self, requests: Sequence[Row], wanted: Callable[[int], bool]) -> list[Drawn]:
        """One batch; called in the device's thread."""
        return draw(self._model, self._tokenizer, self._ends, requests, wanted)

    def _row(self, messages: Sequence[Message], sampling: Sampling) -> Row:
        if sampling.max_tokens < 1:
            raise RequestRefused(f"{self.name}: max_tokens is {sampling.max_tokens}; a completion needs at least 1")
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            prompt = self._tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
        except Exception as error:
            raise RequestRefused(f"{self.name}: the chat template does not take these messages: {error}") from error
        if len(prompt) + sampling.max_tokens > self.context_tokens:
            raise ContextOverflow(
                f"{self.name}: a prompt of {len(prompt)} tokens and max_tokens={sampling.max_tokens} do not fit its "
                f"context of {self.context_tokens} tokens; shorten the prompt by "
                f"{len(prompt) + sampling.max_tokens - self.context_tokens} tokens, or lower max_tokens"
            )
        return Row(tuple(prompt), _distinctive(sampling))


def _distinctive(sampling: Sampling) -> Sampling:
    """The fields that make a difference, so that requests are equal when their texts must be."""
    if sampling.temperature <= 0:
        return Sampling(max_tokens=sampling.max_tokens, stop=sampling.stop)
    seed = SystemRandom().getrandbits(63) if sampling.seed is None else sampling.seed
    return Sampling(sampling.temperature, sampling.max_tokens, sampling.top_p, sampling.stop, seed)


def _load(model: str | Path, revision: str | None) -> PreTrainedModel:
    return cast(PreTrainedModel, AutoModelForCausalLM.from_pretrained(str(model), dtype="auto", revision=revision))


def _placed(model: PreTrainedModel, device: str, dtype: str | None) -> PreTrainedModel:
    if dtype is not None:
        model.to(_FLOATS[dtype])
    return cast(PreTrainedModel, model.to(torch.device(device)).eval())


def _end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Every token that ends a turn: the tokenizer's, and those that the checkpoint's generation config adds."""
    own = model.generation_config.eos_token_id if model.generation_config else None
    found = [tokenizer.eos_token_id, *(own if isinstance(own, list) else [own])]
    ends = frozenset(token for token in found if token is not None)
    if not ends:
        raise ValueError("neither the tokenizer nor the model says which token ends a turn; set tokenizer.eos_token")
    return ends


def _weights_hash(model: PreTrainedModel) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().flatten().view(torch.uint8).numpy().tobytes())
    return f"sha256:{digest.hexdigest()[:16]}"
