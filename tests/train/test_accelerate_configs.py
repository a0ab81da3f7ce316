"""The shipped settings of `accelerate launch`: accelerate itself reads them, and they fit the params of the profile."""

from pathlib import Path

import pytest

from masrepro.lab.strict_yaml import read_yaml

GPU = Path(__file__).parents[2] / "params" / "gpu"
FILES = sorted((GPU / "accelerate").glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_accelerate_reads_it_and_its_devices_share_the_batch(file):
    from accelerate.commands.config.config_args import load_config_from_file

    config = load_config_from_file(str(file))
    params = read_yaml((GPU / "05_train_orchestrator.yaml").read_text()).value
    assert config.num_processes == params["n_devices"]
    assert config.mixed_precision == "bf16"
    per_round = params["micro_batch"] * config.num_processes
    assert params["prompts_per_step"] * params["group_size"] % per_round == 0


def test_weights_are_divided_both_ways():
    assert [file.stem for file in FILES] == ["deepspeed", "fsdp"]
