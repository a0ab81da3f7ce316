"""The runtime on the real local engine: a tiny LFM2 with random weights, so its words mean nothing but its costs do."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from masrepro.models.model import Price, Sampling, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget, Trace, run, run_sync

STAR = Orchestration(
    tuple(Agent(id, "", f"Find {id}.") for id in ("w0", "w1", "w2", "sink")),
    tuple(Flow(id, "sink", f"part {id}") for id in ("w0", "w1", "w2")),
)
SHORT = Sampling(temperature=1.0, max_tokens=12, seed=1)
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


@pytest.fixture(scope="module")
def local():
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import Lfm2Config, Lfm2ForCausalLM, PreTrainedTokenizerFast

    from masrepro.models.local import Local

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: n for n, token in enumerate(["<pad>", "</s>", *alphabet])}
    letters = Tokenizer(models.BPE(vocabulary, []))
    letters.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=letters, pad_token="<pad>", eos_token="</s>")
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    config = Lfm2Config(
        vocab_size=len(vocabulary),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        layer_types=["conv", "full_attention"],
        max_position_embeddings=2048,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=1,
    )
    price = Price(Decimal("0.1"), Decimal("0.3"))
    return Local(Lfm2ForCausalLM(config), tokenizer, name="tiny", price=price, context_tokens=2048)


async def test_a_run_costs_what_the_engine_counted(local):
    result = await run(STAR, "Q?", models=local, sampling=SHORT)
    calls = [span for span in result.trace if span.kind == "call"]
    assert [span.agent for span in calls][-1] == "sink"
    assert result.usage.calls == len(calls) == 4
    assert result.usage == sum((span.usage for span in calls), Usage())
    assert result.usage.cost_usd == local.price.of(result.usage.prompt_tokens, result.usage.completion_tokens)
    assert all(0 < span.usage.completion_tokens <= 12 for span in calls)
    assert Trace.from_json(result.trace.to_json()) == result.trace


async def test_a_token_budget_holds_on_the_engine(local):
    result = await run(STAR, "Q?", models=local, sampling=SHORT, budget=Budget(tokens=20))
    assert result.status == "limit"
    assert result.usage.completion_tokens <= 20


async def test_a_prompt_that_does_not_fit_the_context_is_an_error_of_that_agent(local):
    result = await run(STAR, "Q" * 3000, models=local, sampling=SHORT)
    assert result.status == "error"
    assert result.error.startswith("agent w0 on model tiny: ContextOverflow: ")


async def test_the_same_seed_gives_the_same_transcripts(local):
    runs = await asyncio.gather(*(run(STAR, "Q?", models=local, sampling=SHORT) for _ in range(2)))
    assert len({tuple(result.outputs[agent.id] for agent in STAR.agents) for result in runs}) == 1


async def test_run_sync_shares_a_model_between_event_loops(local):
    inside = run_sync(STAR, "Q?", models=local, sampling=SHORT)
    again = await asyncio.to_thread(run_sync, STAR, "Q?", models=local, sampling=SHORT)
    assert inside.status == again.status
    assert inside.outputs == again.outputs
