"""A meta-agent learns from pairs: it comes to prefer what was better, the same again, and its adapter can be asked."""

import json
from dataclasses import replace

import pytest
from toy_pairs import save_base, toy_pairs

from masrepro.bench import benchmark
from masrepro.meta.orchestrator import orchestrator_messages
from masrepro.models import Sampling
from masrepro.models.desk import folder_of, load_desk_model
from masrepro.orchestration.dom import DoM
from masrepro.train.cto import RANKING, dpo_config, pairs_for, tokens, train_role
from masrepro.train.cto_history import read_pair_history
from masrepro.train.cto_settings import CtoSettings
from masrepro.train.desk_plans import PLAIN
from masrepro.train.trained import load_orchestrator
from masrepro.train.training_folder import HISTORY, SETTINGS

DESK = dict(device="cpu", dtype="float32", autocast=False, activation_checkpointing=False, lora_targets=("all-linear",))


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("base")
    save_base(folder)
    return folder


def short(base, **changes):
    settings = dict(DESK, base=str(base), learning_rate=2e-2, held_out=0.25, lora_dropout=0.1, checkpoint_every=5)
    return CtoSettings(**{**settings, "epochs": 3, **changes})


def weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "adapter_model.safetensors")


def same(one, other):
    import torch

    return one.keys() == other.keys() and all(torch.equal(weight, other[name]) for name, weight in one.items())


@pytest.fixture(scope="module")
def whole(base, tmp_path_factory):
    """Three epochs of twelve pairs of six questions, four more pairs held out, without a stop."""
    lines = []
    trained = train_role("generator", toy_pairs(16), short(base), tmp_path_factory.mktemp("whole"), lines.append)
    return trained, lines


def test_it_comes_to_prefer_what_was_better_and_so_for_questions_it_has_not_seen(whole):
    trained, _ = whole
    assert (trained.learned.n_pairs, trained.held_out.n_pairs) == (12, 4)
    for ranking in (trained.learned, trained.held_out):
        assert ranking.after > ranking.before and ranking.gained == 1
        assert ranking.margin > 0.5
    first, last = trained.steps[0], trained.steps[-1]
    assert first.margin == 0 and last.margin > 0.5 and last.loss / last.delta < first.loss / first.delta


def test_every_step_is_on_record_and_reported(whole):
    trained, lines = whole
    assert [step.step for step in trained.steps] == list(range(1, 10))
    assert lines[0].startswith("step 1/9  loss ") and len(lines) == 9
    assert read_pair_history(trained.folder / HISTORY) == trained.steps
    assert all(0.1 <= step.delta <= 2 and 0 <= step.gained <= 1 and step.grad_norm > 0 for step in trained.steps)
    assert trained.steps[0].learning_rate > trained.steps[-1].learning_rate > 0
    told = json.loads((trained.folder / RANKING).read_text())
    assert told["learned"]["n_pairs"] == 12 and told["held_out"]["after"] == trained.held_out.after


def test_a_stopped_training_ends_as_if_it_had_not_been(whole, base, tmp_path):
    class Stopped(Exception):
        pass

    def stop(line):
        if line.startswith("step 7/"):
            raise Stopped

    with pytest.raises(Stopped):
        train_role("generator", toy_pairs(16), short(base), tmp_path, stop)
    assert len(read_pair_history(tmp_path / HISTORY)) == 5
    lines = []
    resumed = train_role("generator", toy_pairs(16), short(base), tmp_path, lines.append)
    assert lines[0] == "goes on after step 5" and len(lines) == 5
    assert resumed.steps == whole[0].steps and resumed.held_out == whole[0].held_out
    assert same(weights(resumed.folder), weights(whole[0].folder))


def test_another_seed_gives_another_adapter(whole, base, tmp_path):
    other = train_role("generator", toy_pairs(16), short(base, seed=2, epochs=1), tmp_path, lambda _: None)
    assert other.steps[0] != whole[0].steps[0]
    assert not same(weights(other.folder), weights(whole[0].folder))


def test_a_finished_training_is_not_done_again(whole, base):
    trained, _ = whole
    lines = []
    again = train_role("generator", toy_pairs(16), short(base), trained.folder.parent, lines.append)
    assert lines == ["goes on after step 9"]
    assert again == trained


async def test_an_adapter_can_be_asked_and_writes_what_it_learned(whole, base):
    untrained, adapted = load_orchestrator(str(base)), load_orchestrator(str(base), whole[0].folder)
    assert untrained.revision != adapted.revision

    async def n_better(model):
        drawn = [
            await model.complete(pair.prompt, Sampling(1.0, 8, seed=seed)) for seed, pair in enumerate(toy_pairs(16))
        ]
        return sum(word.startswith("d") for completion in drawn for word in completion.text.split())

    assert await n_better(adapted) > await n_better(untrained)


def test_the_adapter_names_its_base_as_the_settings_do_and_no_path_of_this_machine(whole, base):
    folder = whole[0].folder
    assert json.loads((folder / "adapter_config.json").read_text())["base_model_name_or_path"] == str(base)
    assert not (folder / "training_args.bin").exists() and not (folder / "README.md").exists()
    assert json.loads((folder / SETTINGS).read_text())["role"] == "generator"


def test_other_settings_pairs_or_roles_are_refused_in_a_folder_that_was_begun(whole, base):
    folder = whole[0].folder.parent
    with pytest.raises(ValueError, match="begun with another beta; choose another folder"):
        train_role("generator", toy_pairs(16), short(base, beta=0.2), folder)
    with pytest.raises(ValueError, match="begun with another pairs"):
        train_role("generator", toy_pairs(14), short(base), folder)
    with pytest.raises(ValueError, match="begun with another role, pairs"):
        train_role("rectifier", toy_pairs(16, "rectifier"), short(base), folder)


@pytest.mark.parametrize(
    ("pairs", "changes", "told"),
    [
        ([], {}, "the generator has no pair to learn from.* Grow more branches"),
        (toy_pairs(4, "rectifier"), {}, "the generator has no pair"),
        (toy_pairs(4), {"least_delta": 9.0}, r"differ in value \(4 do, by less than least_delta, 9\)"),
        (toy_pairs(4), {"max_length": 5}, "no pair for the generator fits max_length 5; raise it"),
    ],
)
def test_without_a_pair_nothing_is_written_and_it_says_what_to_do(base, tmp_path, pairs, changes, told):
    with pytest.raises(ValueError, match=told):
        train_role("generator", pairs, short(base, **changes), tmp_path / "new", lambda _: None)
    assert not (tmp_path / "new").exists()


def test_pairs_that_are_too_long_are_left_out_and_said_to_be(base, tmp_path):
    first, *others = toy_pairs(6)
    lines = []
    pairs = [replace(first, lose=first.lose * 20), *others]
    trained = train_role("generator", pairs, short(base, max_length=50, epochs=1), tmp_path, lines.append)
    assert lines[0] == "longer than max_length and left out: 1 of 6 pairs"
    assert trained.learned.n_pairs + trained.held_out.n_pairs == 5


async def test_what_is_trained_on_is_in_the_very_tokens_of_asking_and_writing():
    """The prompt without its system turn, which the desk template drops, and the end of the turn behind the action."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    item = benchmark("masbench/parallel/2", split="test", n=1)[0]
    messages = orchestrator_messages(item.question, DoM.HIGH, PLAIN)
    asked = await load_desk_model("desk-orchestrator").complete(messages, Sampling(max_tokens=256))
    folder = folder_of("desk-orchestrator")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    prompt, action = tokens(tokenizer, messages, asked.text)
    assert (asked.usage.prompt_tokens, asked.usage.completion_tokens) == (len(prompt), len(action))
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64)
    written = model.generate(torch.tensor([prompt]), max_new_tokens=256, do_sample=False)[0].tolist()
    assert written == prompt + action
    assert tokenizer.decode(action[-1]) == "<end>"


def test_settings_choose_and_scale_the_pairs(base):
    pairs = toy_pairs(4) + toy_pairs(2, "rectifier")
    assert pairs_for("generator", pairs, short(base)) == pairs[:4]
    least = sorted(pair.delta for pair in pairs[:4])[1]
    assert len(pairs_for("generator", pairs, short(base, least_delta=least))) == 3
    scaled = pairs_for("generator", pairs, short(base, delta_scale="mean-one"))
    assert sum(pair.delta for pair in scaled) == pytest.approx(4)
    assert len(pairs_for("generator", pairs * 2, short(base, pairs_per_context=1))) == 4


def test_the_papers_settings_are_those_of_its_trainer(tmp_path):
    settings = CtoSettings(device="cpu", autocast=False)
    config = dpo_config(settings, tmp_path)
    assert (settings.lora_rank, settings.lora_alpha) == (8, 16)
    assert (config.num_train_epochs, config.learning_rate, config.gradient_accumulation_steps) == (2, 5e-5, 4)
    assert (config.beta, config.loss_type, config.max_length) == (0.1, ["sigmoid"], None)
    assert not config.disable_dropout and dpo_config(short(tmp_path, lora_dropout=0.0), tmp_path).disable_dropout
    credit = CtoSettings(counts_meta=True, cap=3.0).credit
    assert (credit.failures_in_mean, credit.counts_meta, credit.cap) == (True, True, 3.0)
