"""The shipped desk models: they load offline, know their tokenizer, and answer the same whatever shares their batch."""

import json
import os
import subprocess
import sys

import pytest

from masrepro.agents.agent import Task
from masrepro.agents.cot import cot_messages, read_output
from masrepro.baselines import Oracle
from masrepro.bench import benchmark, score
from masrepro.models import Sampling
from masrepro.models.desk import WEIGHTS, folder_of, load_desk_model, shipped
from masrepro.orchestration.plan import Agent
from masrepro.runtime.blocking import wait_for
from masrepro.train.desk_words import phrases

SOLVERS = [name for name in shipped() if name.startswith("desk-solver-")]


@pytest.fixture(scope="module", params=SOLVERS)
def solver(request):
    return load_desk_model(request.param)


def ask(model, prompts):
    """Replies to all prompts, asked at once."""
    import asyncio

    async def together():
        asked = (model.complete(messages, Sampling(max_tokens=448)) for messages in prompts)
        return await asyncio.gather(*asked)

    return [completion.text for completion in wait_for(together())]


def first_steps(n):
    """Prompts of the first agent of oracle systems, which needs nothing from upstream, and the true values."""
    prompts, truths = [], []
    for item in benchmark("masbench/depth/4", split="test", n=n):
        agent = Oracle().design(item).agents[0]
        problem = item.problems[0]
        names = [quantity.name for quantity in problem.quantities]
        asked = agent.goal.removeprefix("Find the number of each ").removesuffix(".")
        prompts.append(cot_messages(Task(item.question, agent)))
        truths.append(str(problem.values[names.index(asked)]))
    return prompts, truths


def test_the_family_is_shipped_and_all_of_it_is_small():
    assert {"desk-solver-s", "desk-solver-m", "desk-solver-l"} <= set(shipped())
    assert sum(path.stat().st_size for path in WEIGHTS.rglob("*") if path.is_file()) < 25_000_000


def test_unknown_name_lists_what_is_there():
    with pytest.raises(FileNotFoundError, match="desk-solver-s"):
        folder_of("desk-solver-xxl")


def test_loads_in_a_fresh_process_without_a_network():
    code = (
        "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
        "from masrepro.models.desk import folder_of\n"
        "folder = folder_of('desk-solver-s')\n"
        "AutoTokenizer.from_pretrained(folder)\n"
        "print(AutoModelForCausalLM.from_pretrained(folder).config.model_type)"
    )
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "http_proxy": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "lfm2"


@pytest.mark.parametrize("name", shipped())
def test_vocabulary_is_the_corpus_vocabulary(name):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder_of(name))
    assert set(phrases()) <= set(tokenizer.get_vocab())


@pytest.mark.parametrize("name", shipped())
def test_every_model_has_a_card_and_a_record_of_its_training(name):
    record = json.loads((folder_of(name) / "training.json").read_text())
    assert record["tokens"] >= record["recipe"]["tokens"]
    assert record["curve"]
    assert (folder_of(name) / "README.md").read_text().startswith(f"# {name}\n")


def test_single_steps_are_mostly_right(solver):
    prompts, truths = first_steps(40)
    answers = [read_output(text, "stop").answer or "" for text in ask(solver, prompts)]
    right = sum(
        score("exact_int", answer, truth).outcome == "correct" for answer, truth in zip(answers, truths, strict=True)
    )
    assert right >= 30


@pytest.mark.parametrize("name", ["desk-solver-l", "desk-solver-xl"])
def test_the_larger_ones_solve_deep_questions_alone(name):
    items = benchmark("masbench/depth/8", split="test", n=16)
    prompts = [cot_messages(Task(item.question, Agent(id="a1", role="", goal=""))) for item in items]
    replies = ask(load_desk_model(name), prompts)
    answers = [read_output(text, "stop").answer or "" for text in replies]
    scores = [score("exact_int", own, item.answer) for own, item in zip(answers, items, strict=True)]
    assert sum(found.outcome == "correct" for found in scores) >= 11


def test_it_computes_on_one_thread(solver):
    import torch

    torch.set_num_threads(2)
    load_desk_model(solver.name)
    assert torch.get_num_threads() == 1


def test_a_reply_does_not_depend_on_what_shares_its_batch(solver):
    prompts = first_steps(24)[0]
    together = ask(solver, prompts)
    assert [ask(solver, [prompt])[0] for prompt in prompts[:6]] == together[:6]
    assert ask(solver, prompts[::-1])[::-1] == together


def test_a_folder_that_holds_a_model_is_its_own_place(tmp_path):
    folder = folder_of("desk-solver-s")
    assert folder_of(str(folder)) == folder
    with pytest.raises(FileNotFoundError, match="no desk model"):
        folder_of(str(tmp_path))
