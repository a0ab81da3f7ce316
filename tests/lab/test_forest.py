"""Many trees as one list of jobs: at once, kept one by one, gone on with after a kill, refused under other settings."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from forest_in_process import MANY, SETTINGS, parts
from meta_script import CHEAP, ITEMS, ONE, Scripted, cycling, pool

from masrepro.baselines.recount import recount
from masrepro.lab.executor import JobLost
from masrepro.lab.file import Lock, Locked
from masrepro.lab.forest import TreeSettings, Trio, computed_in, forest, trees_in
from masrepro.lab.staffed_run import Terms
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.meta.rectifier import ModelRectifier
from masrepro.models import Pool, Unavailable
from masrepro.models.desk import load_desk_model

HERE = Path(__file__).parent


async def test_two_hundred_questions_with_eight_leaves_are_one_concurrent_list(tmp_path):
    models, most, in_flight = pool(), 0, 0
    items = [replace(ITEMS[k % 4], id=f"question-{k}") for k in range(200)]
    full = asyncio.Event()

    class Counting(Scripted):
        async def complete(self, messages, sampling):
            nonlocal most, in_flight
            in_flight += 1
            most = max(most, in_flight)
            if most >= 64 * 4:
                full.set()
            await full.wait()  # nobody is answered before 64 trees have asked for their 4 templates
            in_flight -= 1
            return await super().complete(messages, sampling)

    trio = Trio(
        Generator(Counting("generator", lambda *_: ONE)),
        Implementer(cycling("implementer", "a1: weak", "a1: strong"), models),
    )
    trees = await forest({"sums": items}, trio, models=models, folder=tmp_path, concurrency=64)
    assert [tree.item_id for tree in trees] == [item.id for item in items]
    assert {len(tree.trajectories) for tree in trees} == {8}
    assert most == 64 * 4  # bounded, and no tree waits for another


async def test_faults_come_in_turn_and_trees_can_be_read_again(tmp_path):
    models = pool()
    faults = ["none", "none", "back-end down"]
    trees = await forest(
        {"sums": ITEMS[:3], "more": [ITEMS[3]]}, parts(models), SETTINGS, models=models, folder=tmp_path, faults=faults
    )
    assert [(tree.benchmark, tree.fault) for tree in trees] == [
        ("sums", "none"),
        ("sums", "none"),
        ("sums", "back-end down"),
        ("more", "none"),
    ]
    assert trees_in(tmp_path) == trees
    models_asked = sum(len(model.asked) for model in models.values())
    assert computed_in(tmp_path).calls == models_asked + 4 * (2 + 4)


async def test_what_is_kept_is_not_grown_again_and_more_may_be_added(tmp_path):
    models = pool()
    first = await forest({"sums": ITEMS[:2]}, parts(models), SETTINGS, models=models, folder=tmp_path)
    n_asked = len(models["strong"].asked)
    heard = []
    again = await forest(
        {"sums": ITEMS},
        parts(models),
        SETTINGS,
        models=models,
        folder=tmp_path,
        progress=lambda *far: heard.append(far),
        concurrency=1,
    )
    assert again[:2] == first
    assert len(models["strong"].asked) == 2 * n_asked
    assert heard == [(2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"settings": TreeSettings(n_templates=3)}, "n_templates"),
        ({"terms": Terms(max_repairs=1)}, "max_repairs"),
        ({"terms": Terms(seed=2)}, "terms_seed"),
        ({"prices": {"strong": CHEAP}}, "models"),
        ({"faults": ["back-end down"]}, "a tree of item-1 for sums under 'none', not sums under 'back-end down'"),
    ],
)
async def test_trees_of_other_settings_are_refused(tmp_path, change, named):
    models = pool()
    await forest({"sums": ITEMS[:1]}, parts(models), SETTINGS, models=models, folder=tmp_path)
    with pytest.raises(ValueError, match=named):
        await forest(
            {"sums": ITEMS[:1]}, parts(models), **{"settings": SETTINGS, "models": models, "folder": tmp_path, **change}
        )


async def test_a_killed_job_loses_only_the_trees_in_flight(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])}
    command = [sys.executable, str(HERE / "forest_in_process.py"), str(tmp_path), "5"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    said = [process.stdout.readline().strip() for _ in range(6)]
    process.kill()
    process.wait()
    assert said == [f"{k} of 12" for k in range(6)]
    kept = trees_in(tmp_path)
    assert len(kept) == 5
    models = pool()
    trio = parts(models)
    trees = await forest({"sums": MANY}, trio, SETTINGS, models=models, folder=tmp_path, concurrency=4)
    assert len(trio.generator.model.asked) == (12 - 5) * SETTINGS.n_templates
    by_id = {tree.item_id: tree for tree in trees}
    assert len(by_id) == 12 and all(by_id[tree.item_id] == tree for tree in kept)
    assert not list(tmp_path.glob("*.aside"))


async def test_a_meta_agent_that_cannot_be_asked_ends_the_job_and_what_is_grown_stays(tmp_path):
    models = pool()
    trio = parts(models)
    trio.generator.model.says = lambda messages, _: ONE if len(trio.generator.model.asked) < 4 else Unavailable("503")
    with pytest.raises(Unavailable) as raised:
        await forest({"sums": ITEMS}, trio, SETTINGS, models=models, folder=tmp_path, concurrency=1)
    assert raised.value.__notes__ == ["while growing the tree of item-2 (sums, none)"]
    assert [tree.item_id for tree in trees_in(tmp_path)] == ["item-1"]


class Apart:
    """An executor that hands jobs and results over as bytes, and loses some of them."""

    apart = True

    def __init__(self, n_losses):
        self.n_left = n_losses

    @asynccontextmanager
    async def spread(self, work):
        async def do(job):
            if self.n_left:
                self.n_left -= 1
                raise JobLost("the node is gone")
            return pickle.loads(pickle.dumps(await work(pickle.loads(pickle.dumps(job)))))

        yield do

    def close(self):
        pass


async def test_a_tree_that_was_lost_with_its_machine_is_grown_again_and_at_last_given_up(tmp_path):
    models = pool()
    options = {"models": models, "concurrency": 1}
    trees = await forest({"sums": ITEMS[:2]}, parts(models), SETTINGS, folder=tmp_path, executor=Apart(2), **options)
    assert len(trees) == 2
    with pytest.raises(JobLost) as lost:
        await forest({"sums": ITEMS}, parts(models), SETTINGS, folder=tmp_path, executor=Apart(3), **options)
    assert "lost 3 times" in lost.value.__notes__[0]


async def test_one_process_grows_in_a_folder_and_an_item_has_one_tree(tmp_path):
    models = pool()
    with Lock(tmp_path / ".lock"), pytest.raises(Locked):
        await forest({"sums": ITEMS[:1]}, parts(models), models=models, folder=tmp_path)
    with pytest.raises(ValueError, match="unique ids"):
        await forest({"a": ITEMS[:1], "b": ITEMS[:1]}, parts(models), models=models, folder=tmp_path)
    with pytest.raises(ValueError, match="one kind or more"):
        await forest({"a": ITEMS[:1]}, parts(models), models=models, folder=tmp_path, faults=[])


def test_a_file_that_is_no_tree_is_named(tmp_path):
    (tmp_path / "x.tree.json").write_text('{"computed": {}}')
    with pytest.raises(ValueError, match=r"x\.tree\.json is no tree"):
        trees_in(tmp_path)


async def test_the_work_of_a_forest_of_desk_models_can_travel(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'masrepro[ray]'")
    from masrepro.lab.portable import pack, unpack

    models = Pool({"desk-solver-s": load_desk_model("desk-solver-s")})
    writer = load_desk_model("desk-orchestrator")
    packed = []

    class Sent(Apart):
        def spread(self, work):
            packed.append(pack(work))
            return super().spread(work)

    trio = Trio(Generator(writer), Implementer(writer, models), ModelRectifier(writer))
    options = {"models": models, "terms": Terms(check=recount), "prices": {"desk-orchestrator": CHEAP}}
    await forest({"none": []}, trio, folder=tmp_path, executor=Sent(0), **options)
    assert not packed  # nothing is missing, so nothing is sent
    with pytest.raises(JobLost):
        await forest({"sums": ITEMS[:1]}, trio, folder=tmp_path, executor=Sent(9), **options)
    assert unpack(packed[0]).record() == json.loads((tmp_path / "settings.json").read_text())
