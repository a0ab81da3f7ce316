"""Several processes that train one desk model together: each computes its share of every step's rows.

All of them draw the same steps from the same seed and make the same update, so nothing but gradients, losses and the
clock is ever sent. What comes out differs from a training by one process only in the last bits of the sums.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

Helped = Callable[["Crew"], None]
"""What a helper does all along; it must be importable by name, and so must everything it is made of."""

_PATIENCE = timedelta(minutes=10)
"""For one that does not come, or that reports and saves."""
_FAREWELL_S = 10.0


@dataclass(frozen=True, slots=True)
class Crew:
    """One process's place among those that train together; the first one leads."""

    place: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this one reports and saves."""
        return self.place == 0

    def share(self, rows: torch.Tensor) -> torch.Tensor:
        """This one's rows; there may be none."""
        return rows[self.place :: self.size]

    def add_up(self, tensors: Sequence[torch.Tensor]) -> None:
        """Replace each tensor by the sum of all processes' tensors; float32."""
        if self.size == 1:
            return
        import torch
        import torch.distributed as dist

        together = torch.cat([tensor.flatten() for tensor in tensors])
        dist.all_reduce(together)
        totals = torch.split(together, [tensor.numel() for tensor in tensors])
        for tensor, total in zip(tensors, totals, strict=True):
            tensor.copy_(total.view_as(tensor))

    def as_leader(self, value: float) -> float:
        """The leader's value, for all."""
        if self.size == 1:
            return value
        import torch
        import torch.distributed as dist

        told = torch.tensor(value, dtype=torch.float64)
        dist.broadcast(told, src=0)
        return float(told)


@contextmanager
def crew_of(size: int, helped: Helped) -> Iterator[Crew]:
    """The leader's place in a crew whose other processes do ``helped``; they end with the block.

    Raises
    ------
    ChildProcessError
        A helper ended before its time.
    """
    if size == 1:
        yield Crew()
        return
    import torch.distributed as dist

    # A fresh interpreter each: a fork of a process that has used torch may hang.
    context = multiprocessing.get_context("spawn")
    farewell = context.Barrier(size)
    with tempfile.TemporaryDirectory(prefix="masrepro") as folder:
        meeting = Path(folder) / "meeting"
        helpers: list[BaseProcess] = [
            context.Process(target=_help, args=(helped, Crew(place, size), meeting, farewell), daemon=True)
            for place in range(1, size)
        ]
        for helper in helpers:
            helper.start()
        try:
            _meet(Crew(0, size), meeting)
            yield Crew(0, size)
            farewell.wait(_PATIENCE.total_seconds())
            for helper in helpers:
                helper.join(_FAREWELL_S)
        except RuntimeError as error:
            # A lost connection is noticed sooner than the end of the process that held it.
            if not wait([helper.sentinel for helper in helpers], _FAREWELL_S):
                raise
            raise ChildProcessError("a process that trains along has ended; its own message is above") from error
        finally:
            for helper in helpers:
                helper.terminate()
            if dist.is_initialized():
                dist.destroy_process_group()  # those that wait for this one wait no longer
            for helper in helpers:
                helper.join(_FAREWELL_S)
                helper.kill()


def _help(helped: Helped, crew: Crew, meeting: Path, farewell: Barrier) -> None:
    # An interrupt is the leader's affair, who then ends this process; which leaves in order, as libraries expect.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    _meet(crew, meeting)
    try:
        helped(crew)
    except BaseException:
        farewell.abort()  # or the others would wait for this one
        raise
    farewell.wait(_PATIENCE.total_seconds())  # who leaves sooner may take along what others have yet to read


def _meet(crew: Crew, meeting: Path) -> None:
    import torch.distributed as dist

    dist.init_process_group(
        "gloo", init_method=f"file://{meeting}", rank=crew.place, world_size=crew.size, timeout=_PATIENCE
    )
