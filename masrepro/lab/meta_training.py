"""From params to three trained meta-agents: trees, pairs, and an adapter for each role (MAS², section 3.2).

Not here: how a tree grows (`growth`), what a pair is (`masrepro.train.preference`), how an adapter is trained
(`masrepro.train.cto`), and what all this is worth (`masrepro.report.meta_training`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from masrepro.bench import benchmark
from masrepro.lab.backbone import load_backbone
from masrepro.lab.executor import executor_named
from masrepro.lab.forest import TreeSettings, Trio, forest, trees_in
from masrepro.lab.mas2 import Variant
from masrepro.lab.mas2_stage import Stage
from masrepro.lab.mas2_systems import FULL, UNTRAINED, made_by
from masrepro.lab.mas2_table_params import Adapters
from masrepro.lab.meta_training_params import TrainMetaParams
from masrepro.lab.notebook import Progress
from masrepro.lab.orchestrator import adapter_folder, load_writer
from masrepro.lab.remembered import Remembered
from masrepro.lab.staffed_run import Terms
from masrepro.models.desk import load_desk_model, shipped
from masrepro.models.model import Model, Pool
from masrepro.runtime import Budget
from masrepro.train.cto import RANKING, TrainedRole, pairs_for, train_role
from masrepro.train.cto_history import Ranking, read_pair_history
from masrepro.train.preference import Preference, preferences
from masrepro.train.training_folder import HISTORY
from masrepro.train.tree import ROLES, Role, Tree

Trainings = Mapping[Role, Sequence[TrainedRole]]
"""By role, a training for each seed; none for a role that had nothing to learn from."""


def tree_settings(params: TrainMetaParams) -> TreeSettings:
    """How trees branch."""
    return TreeSettings(
        n_templates=params.n_templates,
        n_implementations=params.n_implementations,
        n_repairs=params.n_repairs,
        temperature=params.tree_temperature,
        max_tokens=params.plan_tokens,
        seed=params.seed,
    )


def terms_of(stage: Stage) -> Terms:
    """On which systems run, in trees and on held-out items alike."""
    params = _params(stage)
    return replace(stage.terms(), budget=Budget(calls=params.system_calls, tokens=params.run_tokens))


async def grow_forest(stage: Stage, folder: Path) -> list[Tree]:
    """The trees of all questions that the params name, grown or read from ``folder``; or those of another run.

    Raises
    ------
    ModelError
        A meta-agent could not be asked. What is grown is kept.
    ValueError
        The params name a folder, and a file in it is no tree.
    """
    params = _params(stage)
    if params.trees:
        return trees_in(Path(params.trees))
    executor = executor_named(params.tree_executor)
    pool = Pool({name: load_backbone(params, name) for name in params.solvers} if executor.apart else _bare(stage.pool))
    priced = [*stage.pool.values(), *stage.writers.values()]
    try:
        return await forest(
            {cell: benchmark(cell, split="train", n=params.n_trees) for cell in params.cells},
            _untrained(stage, pool, apart=executor.apart),
            tree_settings(params),
            models=pool,
            folder=folder,
            prices={model.name: model.price for model in priced if model.price is not None},
            faults=params.tree_faults,
            terms=terms_of(stage),
            executor=executor,
            concurrency=params.trees_at_once,
            progress=Progress("trees"),
        )
    finally:
        executor.close()


def pairs_of(trees: Sequence[Tree], params: TrainMetaParams) -> list[Preference]:
    """All pairs of all trees, in the order of the trees; of K and N as the training's settings say."""
    one = params.training
    pruned = (tree.pruned(one.n_templates, one.n_implementations) for tree in trees)
    return [pair for tree in pruned for pair in preferences(tree, one.credit)]


def train_trio(
    pairs: Sequence[Preference], params: TrainMetaParams, folder: Path, *, report: Callable[[str], None] = print
) -> Trainings:
    """Train an adapter for each role and seed. A role without pairs is left as it is, and the reason reported.

    Trainings that were stopped go on from their last checkpoint.
    """
    trained: dict[Role, list[TrainedRole]] = {}
    for role in ROLES:
        try:
            pairs_for(role, pairs, params.training)
        except ValueError as none:
            report(f"{role}: not trained: {none}")
            continue
        trained[role] = []
        for seed in params.seeds:
            report(f"{role}, seed {seed}")
            rate = params.learning_rates.get(role, params.training.learning_rate)
            settings = params.training.model_copy(update={"seed": seed, "learning_rate": rate})
            trained[role].append(train_role(role, pairs, settings, folder / f"{role}-{seed}", report))
    return trained


def finished(params: TrainMetaParams) -> Trainings:
    """What lies beside the adapters that the params name; nothing for those that come without it, or are served.

    Raises
    ------
    FileNotFoundError
        There is no such adapter.
    """
    if params.meta.server is not None:
        return {}
    trained: dict[Role, list[TrainedRole]] = {}
    for role in ROLES:
        named = (getattr(one, role) for one in (params.adapters, *params.repeats))
        folders = (adapter_folder(adapter) for adapter in named if adapter)
        if own := [read_trained(role, folder) for folder in folders if (folder / RANKING).exists()]:
            trained[role] = own
    return trained


def read_trained(role: Role, folder: Path) -> TrainedRole:
    """The training that left an adapter there, with its steps and rankings."""
    told = json.loads((folder / RANKING).read_text(encoding="utf-8"))
    apart = told["held_out"] and Ranking(**told["held_out"])
    return TrainedRole(role, folder, read_pair_history(folder / HISTORY), Ranking(**told["learned"]), apart)


@dataclass(frozen=True, slots=True)
class Graduates:
    """The meta-agents after training, ready to be measured; an untrained one where a role had no training."""

    stage: Stage
    trio: Trio
    trained: tuple[Role, ...]
    repeats: Mapping[str, Trio]
    """The same trained with other seeds, by name."""

    @property
    def compared(self) -> list[Variant]:
        """Untrained, trained and its repeats, to be measured on the same items."""
        untrained = self.stage.trio(Adapters(), self.stage.pool)
        trios = {UNTRAINED: untrained, FULL: self.trio, **self.repeats}
        return [made_by(name, trio) for name, trio in trios.items()]


def graduates(stage: Stage, trainings: Trainings) -> Graduates:
    """The first training of each role, on a stage that knows its models; or the adapters that the params name.

    Further trainings are its repeats, seed by seed.
    """
    params = _params(stage)
    if params.trained:
        return _graduated(stage, [params.adapters, *params.repeats], ROLES)
    price = stage.writers[params.meta].price
    trios = [
        Adapters(**{role: str(own[place].folder) for role, own in trainings.items()})
        for place in range(min(map(len, trainings.values()), default=0))
    ]
    writers = {
        (one := params.adapted(adapter)): Remembered(load_writer(one, name=_trained_name(role, place)), price)
        for place, trio in enumerate(trios)
        for role in trainings
        if (adapter := getattr(trio, role))
    }
    own = replace(stage, writers={**stage.writers, **writers})
    return _graduated(own, trios or [Adapters()], tuple(trainings))


def _trained_name(role: Role, place: int) -> str:
    return f"trained {role}" if place == 0 else f"trained {role}, {place + 1}"


def _graduated(stage: Stage, adapters: Sequence[Adapters], trained: tuple[Role, ...]) -> Graduates:
    first, *others = (stage.trio(one, stage.pool) for one in adapters)
    repeats = {f"{FULL}, training {number}": trio for number, trio in enumerate(others, start=2)}
    return Graduates(stage, first, trained, repeats)


def _untrained(stage: Stage, pool: Pool, *, apart: bool) -> Trio:
    """The meta-agents that grow trees: on models as they are, since each tree remembers for itself."""
    params = _params(stage)
    trio = stage.trio(Adapters(), pool)
    if apart and params.meta.server is None and params.meta.model in shipped():
        base: Model = load_desk_model(params.meta.model)  # other machines know it by its name
    else:
        base = _bare_model(stage.writers[params.meta])
    assert trio.rectifier is not None
    return Trio(
        replace(trio.generator, model=base),
        replace(trio.implementer, model=base),
        replace(trio.rectifier, model=base),
    )


def _bare(pool: Pool) -> dict[str, Model]:
    return {name: _bare_model(model) for name, model in pool.items()}


def _bare_model(model: Model) -> Model:
    """What a remembered model asks."""
    return model.model if isinstance(model, Remembered) else model


def _params(stage: Stage) -> TrainMetaParams:
    assert isinstance(stage.params, TrainMetaParams)
    return stage.params
