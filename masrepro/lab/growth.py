"""The growth of one decision tree: K templates for a question, N assignments each, and repairs where a run pauses.

MAS² (arXiv 2509.24323), section 3.2. What two trajectories have in common is computed once: equal requests of one tree
are remembered, and each trajectory is charged in full. Not here: many trees, and where they are kept (`forest`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from masrepro.bench import Item
from masrepro.lab.fault_setting import FaultKind
from masrepro.lab.job import sample_seed
from masrepro.lab.meta_action import Action, act
from masrepro.lab.remembered import Remembered, computed, remembered, require_prices
from masrepro.lab.repair_branch import Branch, Pause, Paused, Probe
from masrepro.lab.staffed_run import StaffedRun, Terms, run_staffed
from masrepro.lab.workers import work_through
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.meta.rectifier import ModelRectifier
from masrepro.models.model import Message, Model, ModelError, Pool, Price, Sampling, Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.rectifier import Rectifier
from masrepro.runtime.trace import NOTHING
from masrepro.train.tree import Node, Role, Trajectory, Tree

Path = tuple[str, ...]
"""Ids of decisions, from the question down."""
MOST_PROBES = 8
"""Times that a run is begun to find the state in which it pauses; two have been enough so far."""


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """How a tree branches.

    Parameters
    ----------
    n_templates, n_implementations : int
        K templates for a question and N assignments for each (paper: 4 and 2).
    n_repairs : int
        Repairs that are drawn where a run pauses first (paper: not stated); where it pauses again, one is.
    temperature : float
        Of the meta-agents (paper: not stated).
    max_tokens : int
        Of one action.
    seed : int
        Of all draws. A node's seed depends on it, the item and the node's id alone.
    """

    n_templates: int = 4
    n_implementations: int = 2
    n_repairs: int = 2
    temperature: float = 1.0
    max_tokens: int = 512
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.n_templates, self.n_implementations, self.n_repairs) < 1:
            raise ValueError("a tree needs 1 or more templates, implementations and repairs")


@dataclass(frozen=True, slots=True)
class Trio:
    """The three meta-agents whose decisions a tree holds; without a rectifier no run is repaired."""

    generator: Generator
    implementer: Implementer
    rectifier: ModelRectifier | None = None

    @property
    def models(self) -> tuple[Model, ...]:
        """Theirs; a rectifier without one asks the default of the pool."""
        own = self.rectifier.model if self.rectifier else None
        return (self.generator.model, self.implementer.model, *([own] if own else []))


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree, and what was really computed for it, at the models' own prices."""

    tree: Tree
    computed: Usage


async def grow(
    item: Item,
    trio: Trio,
    settings: TreeSettings = TreeSettings(),
    *,
    benchmark: str,
    models: Pool,
    prices: Mapping[str, Price] | None = None,
    fault: FaultKind = "none",
    terms: Terms = Terms(),
) -> Grown:
    """Grow the tree of one question.

    Parameters
    ----------
    item : Item
    trio : Trio
        Whose decisions are drawn; the implementer chooses from ``models``.
    settings : TreeSettings
    benchmark : str
        The item's.
    models : Pool
        What sub-agents run on, greedily.
    prices : mapping of str to Price, optional
        What tokens are charged with, by model name, the meta-agents' included; others have their own.
    fault : FaultKind
        What every run of the tree meets.
    terms : Terms
        Under which systems run. The rectifier has the settings' temperature and bound.

    Raises
    ------
    ModelError
        A meta-agent could not be asked. A sub-agent's back-end that fails is a failure of the run, and may be repaired.
    ValueError
        A model has no price; or the generator's notation is not one of texts.
    """
    if trio.generator.notation == "tool_calls":
        raise ValueError("actions are learned as texts: let the generator write calls or xml")
    pool = remembered(models, prices or {})
    metas = {id(model): Remembered(model, (prices or {}).get(model.name)) for model in trio.models}
    require_prices({**pool, **{model.name: model for model in metas.values()}})
    drawn = replace(terms, sampling=replace(terms.sampling, seed=sample_seed(settings.seed, item.id, 0)))
    growing = _Growing(item, _over(trio, metas, pool, settings), settings, fault, pool, drawn)
    await work_through(range(settings.n_templates), growing.template, settings.n_templates)
    # Branches end in any order; a tree has them in the order of their places.
    nodes = sorted(growing.nodes, key=lambda node: _place(node.id))
    trajectories = sorted(growing.trajectories, key=lambda way: _place(way.path[-1]))
    tree = Tree(item.id, benchmark, item.question, fault, tuple(nodes), tuple(trajectories))
    return Grown(tree, sum((model.computed for model in metas.values()), computed(pool)))


def _over(trio: Trio, metas: Mapping[int, Model], pool: Pool, settings: TreeSettings) -> Trio:
    """The same meta-agents on remembered models, the implementer with the pool at its prices."""
    rectifier = trio.rectifier
    if rectifier is not None:
        model = rectifier.model and metas[id(rectifier.model)]
        rectifier = replace(rectifier, model=model, temperature=settings.temperature, max_tokens=settings.max_tokens)
    return Trio(
        replace(trio.generator, model=metas[id(trio.generator.model)]),
        replace(trio.implementer, model=metas[id(trio.implementer.model)], pool=pool),
        rectifier,
    )


@dataclass(slots=True)
class _Growing:
    """A tree while it grows. A branch that has ended has its nodes and its trajectory here."""

    item: Item
    trio: Trio
    settings: TreeSettings
    fault: FaultKind
    pool: Pool
    terms: Terms
    nodes: list[Node] = field(default_factory=list)
    trajectories: list[Trajectory] = field(default_factory=list)

    async def template(self, number: int) -> None:
        """Draw a template, and grow what is below it."""
        id, generator = f"g{number}", self.trio.generator
        action = await act(generator.ask(self.item.question, self._drawing(id)), generator.read)
        self._add(id, None, "generator", generator.messages(self.item.question), action)
        if action.made is None:
            self._end((id,), _invalid(action))
        elif not action.made.agents:  # a direct answer: there is nobody to assign a model to
            self._end((id,), await self._run(action.made, None))
        else:
            numbers = range(self.settings.n_implementations)
            await work_through(numbers, partial(self._implementation, id, action.made), len(numbers))

    async def _implementation(self, parent: str, template: Orchestration, number: int) -> None:
        id, implementer = f"{parent}.i{number}", self.trio.implementer
        asking = implementer.ask(self.item.question, template, self._drawing(id))
        action = await act(asking, partial(implementer.read, template=template))
        self._add(id, parent, "implementer", implementer.messages(self.item.question, template), action)
        if action.made is None:
            self._end((parent, id), _invalid(action))
        else:
            await self._repairs((parent, id), action.made)

    async def _repairs(self, path: Path, plan: Orchestration) -> None:
        """Run a system to its end; where it pauses, once for each repair that is drawn there."""
        rectifier = self.trio.rectifier
        paused = await self._run(plan, None) if rectifier is None else await self._paused(plan, rectifier)
        if isinstance(paused, StaffedRun):
            self._end(path, paused)
            return
        assert rectifier is not None
        branches = [Branch(rectifier, f"{path[-1]}.r{k}", self.seed, paused) for k in range(self.settings.n_repairs)]
        ran: dict[str, StaffedRun] = {}

        async def run(branch: Branch) -> None:
            ran[branch.id] = await self._run(plan, branch)
            if branch.failure is not None:
                raise branch.failure

        await work_through(branches, run, len(branches))
        if not any(branch.nodes for branch in branches):  # no room was left for an answer, in the budget or the context
            self._end(path, ran[branches[0].id])
            return
        for branch in branches:
            self.nodes += branch.nodes
            self._end((*path, *(node.id for node in branch.nodes)), ran[branch.id])

    async def _paused(self, plan: Orchestration, rectifier: ModelRectifier) -> Paused | StaffedRun:
        """The state in which a run pauses first; what came of it where it does not.

        Agents at work when something fails come to their end, so that the state depends on which was faster. A run of
        remembered replies always goes the same way: it is begun again until nothing in it is new.
        """
        before: Paused | None = None
        for _ in range(MOST_PROBES):
            try:
                return await self._run(plan, Probe(rectifier))
            except Pause as pause:
                if pause.paused == before:
                    return before
                before = pause.paused
        raise RuntimeError(f"item {self.item.id}: the state at a repair is another each of {MOST_PROBES} times")

    async def _run(self, plan: Orchestration, rectifier: Rectifier | None) -> StaffedRun:
        return await run_staffed(plan, self.item, self.fault, rectifier, models=self.pool, terms=self.terms)

    def seed(self, id: str) -> int:
        """Of the draw that a node is."""
        return sample_seed(self.settings.seed, f"{self.item.id}/{id}", 0)

    def _drawing(self, id: str) -> Sampling:
        return Sampling(self.settings.temperature, self.settings.max_tokens, seed=self.seed(id))

    def _add(
        self, id: str, parent: str | None, role: Role, told: tuple[Message, ...], action: Action[Orchestration]
    ) -> None:
        """Note a decision. A back-end that gave none is no decision: it ends the tree."""
        if isinstance(action.flaw, ModelError):
            raise action.flaw
        self.nodes.append(
            Node(id, parent, role, told, action.text, action.usage, action.flaw.rule if action.flaw else "")
        )

    def _end(self, path: Path, ran: StaffedRun) -> None:
        """Note how a way ended."""
        own = [node.usage for node in self.nodes if node.id in path]
        meta_usd, cost_usd = sum(own, NOTHING).cost_usd, ran.usage.cost_usd
        assert meta_usd is not None and cost_usd is not None, "every model has a price"
        self.trajectories.append(Trajectory(path, ran.outcome == "correct", cost_usd, meta_usd, ran.outcome))


def _invalid(action: Action[Orchestration]) -> StaffedRun:
    return StaffedRun("invalid", str(action.flaw))


def _place(id: str) -> tuple[int, ...]:
    """Where a node stands: the number of each decision on the way to it."""
    return tuple(int(part[1:]) for part in id.split("."))
