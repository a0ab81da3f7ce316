"""The client and the api params against `transformers serve`, which serves a desk model on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import NO_TRANSFORMERS_SERVE, ROOT, free_port, transformers_serve

from masrepro.baselines import system
from masrepro.bench import benchmark
from masrepro.lab import evaluate
from masrepro.lab.sample_store import read_samples
from masrepro.models import Local, Message, Sampling
from masrepro.models.desk import folder_of, load_desk_model
from masrepro.models.servers import Server, served, why_not

pytestmark = [
    pytest.mark.skipif(bool(NO_TRANSFORMERS_SERVE), reason=NO_TRANSFORMERS_SERVE),
    pytest.mark.timeout(900),
]
MODEL = "desk-solver-s"
N_ITEMS = 3
SAMPLING = Sampling(max_tokens=192)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("transformers") / "log.txt"
    with transformers_serve(folder_of(MODEL), log, dtype="float64") as running:
        yield running


@pytest.fixture(scope="module")
def local() -> Local:
    return load_desk_model(MODEL)


async def test_greedy_replies_are_those_of_the_local_engine(server: Server, local: Local) -> None:
    questions = [[Message("user", item.question)] for item in benchmark("masbench/depth/2", split="test", n=N_ITEMS)]
    cut_off = Sampling(max_tokens=5)
    model = served(server, MODEL)
    for asked, sampling in [*((question, SAMPLING) for question in questions), (questions[0], cut_off)]:
        ours, theirs = await asyncio.gather(local.complete(asked, sampling), model.complete(asked, sampling))
        assert (theirs.text, theirs.finish) == (ours.text, ours.finish)
        assert theirs.usage.prompt_tokens == ours.usage.prompt_tokens
        assert theirs.usage.completion_tokens == ours.usage.completion_tokens
        assert theirs.usage.cost_usd is None


async def test_a_run_with_the_api_params_gives_what_the_local_engine_gives(
    server: Server, local: Local, tmp_path: Path
) -> None:
    for folder in ("notebooks", "params"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    changes = {
        "solvers": f"[{MODEL}]",
        "orchestrators": "{}",
        "server.base_url": server.base_url,
        "server.served_as": server.served_as,
        "server.context_tokens": str(server.context_tokens),
        "axes": "{depth: [2]}",
        "n_samples": str(N_ITEMS),
        "repeats": "1",
        "temperature": "0.0",
        "max_tokens": str(SAMPLING.max_tokens),
        "cache": "false",
    }
    done = _run(tmp_path, "01_five_axes", *(part for key, value in changes.items() for part in ("-p", key, value)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"at most {2 * N_ITEMS} samples" in done.stdout

    (folder,) = (tmp_path / "outputs" / "01_five_axes").iterdir()
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "complete"
    assert record["models"] == {MODEL: f"as served; {server.served_as}"}
    there = {(sample.system, sample.item_id): sample for sample in read_samples(folder / "samples.jsonl")}
    items = benchmark("masbench/depth/2", split="test", n=N_ITEMS)
    for who in ("single_agent", "oracle"):
        here = await evaluate(
            system(who), items, models=local, benchmark="masbench/depth/2", sampling=SAMPLING, rationale_chars=0
        )
        for sample in here.samples:
            other = there[f"{who}/{MODEL}", sample.item_id]
            assert (other.answer, other.outcome) == (sample.answer, sample.outcome)
            assert (other.usage.calls, other.usage.tokens) == (sample.usage.calls, sample.usage.tokens)


def test_a_run_without_its_server_is_refused_before_it_begins(tmp_path: Path) -> None:
    for folder in ("notebooks", "params"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    base_url = f"http://127.0.0.1:{free_port()}/v1"
    done = _run(tmp_path, "00_start_here", "-p", "server.base_url", base_url)
    assert done.returncode == 2
    assert "completion tokens; cost: unknown" in done.stdout
    assert f"{base_url}: nothing answers (ConnectError). Start the server" in done.stderr
    assert not (tmp_path / "outputs").exists()


def test_a_model_that_the_server_does_not_have_is_named_beforehand(server: Server) -> None:
    reason = why_not(server.model_copy(update={"served_as": None}), "gpt-4o")
    assert reason is not None and "does not serve 'gpt-4o'" in reason and MODEL in reason


def _run(home: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "masrepro", "run", name, "--profile", "api", *options],
        cwd=home,
        env={**os.environ, "MASREPRO_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
