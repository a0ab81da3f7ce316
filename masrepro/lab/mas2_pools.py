"""The systems of the cross-backbone table: the same meta-agents on an old pool and on larger ones.

Members that are added are unseen in training; each also stands alone (MAS², arXiv 2509.24323, cross-backbone table).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from masrepro.baselines.implementers import at_random
from masrepro.lab.mas2_stage import Stage
from masrepro.lab.mas2_systems import FULL, UNTRAINED, Compared, alone, made_by
from masrepro.lab.mas2_table_params import Adapters, CrossBackboneParams
from masrepro.models.model import Pool


@dataclass(frozen=True, slots=True)
class Added:
    """A system on a pool with members added.

    Parameters
    ----------
    system : str
        On the larger pool.
    base : str
        The same on the pool as it was.
    members : tuple of str
        The models that were added.
    alone : tuple of str
        The systems that are each of these models alone.
    """

    system: str
    base: str
    members: tuple[str, ...]
    alone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PoolSystems:
    """What is measured.

    Parameters
    ----------
    by_pool : tuple of (Pool, tuple of Compared)
        Each pool, and the systems on it.
    added : tuple of Added
        The system that stands for MAS², on each larger pool.
    """

    by_pool: tuple[tuple[Pool, tuple[Compared, ...]], ...]
    added: tuple[Added, ...]

    @property
    def kinds(self) -> dict[str, str]:
        """Kind by system."""
        return {one.variant.name: one.kind for _, systems in self.by_pool for one in systems}


def pool_systems(stage: Stage) -> PoolSystems:
    """The systems on the old pool, and on a larger one for each list of new members that are all here."""
    params = stage.params
    assert isinstance(params, CrossBackboneParams)
    here = [members for members in params.added if not any(name in stage.missing for name in members)]
    base = stage.part_of_pool(params.solvers)
    ours = UNTRAINED if params.adapters == Adapters() else FULL
    singles = tuple(Compared(alone(name), "model alone") for name in stage.pool)
    by_pool = [(stage.pool, singles), (base, _made(stage, base, ()))]
    for members in here:
        larger = stage.part_of_pool((*params.solvers, *members))
        by_pool.append((larger, _made(stage, larger, members)))
    added = [
        Added(_named(ours, members), ours, members, tuple(alone(name).name for name in members)) for members in here
    ]
    return PoolSystems(tuple(by_pool), tuple(added))


def _made(stage: Stage, pool: Pool, members: Sequence[str]) -> tuple[Compared, ...]:
    """The meta-agents' systems on a pool, and those of the last trio staffed at random."""
    systems = [Compared(made_by(_named(UNTRAINED, members), stage.trio(Adapters(), pool)), "MAS², untrained")]
    if stage.params.adapters != Adapters():
        systems.append(Compared(made_by(_named(FULL, members), stage.trio(stage.params.adapters, pool)), "MAS²"))
    own = systems[-1].variant
    by_chance = replace(own, name=f"{own.name}, staffed at random", implementer=at_random)
    return (*systems, Compared(by_chance, "made by rules"))


def _named(system: str, members: Sequence[str]) -> str:
    return " + ".join([system, *members])
