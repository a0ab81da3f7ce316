"""The points of a training at which its orchestrator can still be asked."""

from __future__ import annotations

import json
import shutil
from xml.etree import ElementTree

from masrepro.bench import benchmark
from masrepro.explore.case import case_svg
from masrepro.explore.training import Point, newest_training, points, settings_of, training_rows, write_at
from masrepro.models import Pool, Sampling
from masrepro.models.desk import load_desk_model
from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.rollout import Team
from masrepro.train.training_folder import keep_adapter


def training(folder, **settings):
    """The folder of a training as far as its points go."""
    settings |= {"orchestrator": "desk-orchestrator", "steps": 6, "iterations": 2, "plan_tokens": 96, "device": "cpu"}
    told = GrpoSettings(**settings)
    for path in (folder, folder / "model"):
        path.mkdir(parents=True)
        (path / "settings.json").write_text(json.dumps(told.grpo_values()))
    for updates in (4, 8, 10):
        checkpoint = folder / "checkpoints" / f"checkpoint-{updates}"
        checkpoint.mkdir(parents=True)
        if updates != 10:  # the last was not written to its end
            (checkpoint / "trainer_state.json").write_text("{}")
    return folder


def test_points_are_the_base_the_kept_checkpoints_and_the_end(tmp_path):
    folder = training(tmp_path / "training")
    assert [(point.step, point.weights) for point in points(folder)] == [
        (0, None),
        (2, folder / "checkpoints" / "checkpoint-4"),
        (4, folder / "checkpoints" / "checkpoint-8"),
        (6, folder / "model"),
    ]
    assert settings_of(folder).iterations == 2


def test_adapters_of_earlier_steps_are_points_also_of_a_shipped_adapter(tmp_path):
    folder = training(tmp_path / "training")
    checkpoint = folder / "checkpoints" / "checkpoint-4"
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        (checkpoint / name).write_text('{"base_model_name_or_path": "/somewhere"}')
    keep_adapter(checkpoint, folder, 2, "desk-orchestrator")
    kept = folder / "model" / "earlier" / "2"
    assert json.loads((kept / "adapter_config.json").read_text())["base_model_name_or_path"] == "desk-orchestrator"
    assert [point.weights for point in points(folder)][1] == kept

    shipped = shutil.copytree(folder / "model", tmp_path / "desk-orchestrator-mine")
    (shipped / "adapter_config.json").write_text("{}")
    assert [(point.step, point.weights) for point in points(shipped)] == [
        (0, None),
        (2, shipped / "earlier" / "2"),
        (6, shipped),
    ]


def test_the_newest_training_that_writes_whole_systems_is_found(tmp_path):
    assert newest_training(tmp_path) is None
    whole = training(tmp_path / "05_train_orchestrator" / "20260101T000000Z-a" / "training")
    training(tmp_path / "05_train_orchestrator" / "20260201T000000Z-b" / "training", method="sequential")
    assert newest_training(tmp_path) == whole


async def test_the_shipped_orchestrator_is_asked_and_what_it_writes_is_run(tmp_path):
    folder = training(tmp_path / "training")
    (item,) = benchmark("masbench/parallel/2", n=1)
    team = Team(Pool.of(load_desk_model("desk-solver-s")), sampling=Sampling(max_tokens=48), rationale_chars=0)
    (written,) = await write_at(folder, [Point(0, None, None)], item, team)
    assert (written.verdict.plan is None) == (written.case.outcome == "invalid")
    ElementTree.fromstring(case_svg(written.case))
    (row,) = training_rows([written])
    assert row["step"] == 0
    assert bool(row["rule broken"]) == (row["agents"] is None)
