"""The client and the api params against vLLM's CPU build, which serves SmolLM2-135M-Instruct on loopback.

Not a desk model: vLLM 0.32's CPU kernels for short convolutions do not give what `transformers` gives.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest
from serving import NO_VLLM, ROOT, vllm_serve

from masrepro.baselines import system
from masrepro.bench import benchmark
from masrepro.lab import evaluate
from masrepro.lab.backbone import load_backbone
from masrepro.lab.home import find_home
from masrepro.lab.resolve import resolve
from masrepro.models import Message, OpenAICompatible, Sampling
from masrepro.models.servers import Server, served, why_not
from masrepro.models.smollm import NAME, is_converted, smollm_folder

FOLDER = smollm_folder(ROOT / "outputs" / "models")
MISSING = NO_VLLM or ("" if is_converted(FOLDER) else f"{NAME} is not in {FOLDER}: make smollm")
pytestmark = [pytest.mark.skipif(bool(MISSING), reason=MISSING), pytest.mark.timeout(1500)]
QUESTIONS = [
    "What is the capital of France?",
    "Name a large animal.",
    "Which planet is the largest?",
    "Write the word for 3.",
    "What do bees make?",
    "Is water wet?",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with vllm_serve(FOLDER, tmp_path_factory.mktemp("vllm") / "log.txt", dtype="float32") as running:
        yield running


@pytest.fixture
def model(server: Server) -> OpenAICompatible:
    return served(server, FOLDER.name)


async def test_greedy_replies_agree_with_the_local_engine(model: OpenAICompatible) -> None:
    from masrepro.models import Local

    local = Local(FOLDER, dtype="float32")
    sampling = Sampling(max_tokens=12)
    asked = [[Message("user", question)] for question in QUESTIONS]
    theirs = await asyncio.gather(*(model.complete(messages, sampling) for messages in asked))
    ours = await asyncio.gather(*(local.complete(messages, sampling) for messages in asked))
    assert [each.usage.prompt_tokens for each in theirs] == [each.usage.prompt_tokens for each in ours]
    # Rounding may turn a near tie between two tokens.
    assert Counter(a.text == b.text for a, b in zip(theirs, ours, strict=True))[True] >= len(QUESTIONS) - 1


async def test_it_lives_through_more_seeded_requests_than_fit_one_step(server: Server, model: OpenAICompatible) -> None:
    long = "Say yes or no to this: " + "the sky is blue and the grass is green, " * 20
    replies = await asyncio.gather(
        *(model.complete([Message("user", f"{number}. {long}")], Sampling(1.0, 2, seed=number)) for number in range(64))
    )
    assert len(replies) == 64 and {reply.usage.calls for reply in replies} == {1}
    assert why_not(server, FOLDER.name) is None


async def test_an_evaluation_by_the_api_params(server: Server) -> None:
    options = [
        ("model", FOLDER.name),
        ("server.base_url", server.base_url),
        ("server.context_tokens", "2048"),
        ("server.sends_seed", "false"),
        ("max_tokens", "48"),
    ]
    params = resolve("01_five_axes", home=find_home(start=ROOT), profile="api", options=options)
    evaluation = await evaluate(
        system("single_agent"),
        benchmark("masbench/depth/2", split="test", n=4),
        models=load_backbone(params),
        benchmark="masbench/depth/2",
        repeats=2,
        sampling=Sampling(temperature=0.5, max_tokens=params.max_tokens, seed=params.seed),
        concurrency=params.concurrency,
    )
    assert len(evaluation.samples) == 8
    assert sum(evaluation.outcomes[each] for each in ("correct", "wrong", "unparsed", "truncated")) == 8
    assert evaluation.usage.calls == 8 and 0 < evaluation.usage.completion_tokens <= 8 * 48
    assert evaluation.usage.cost_usd is None
