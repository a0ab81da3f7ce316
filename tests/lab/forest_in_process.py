"""Run as ``python forest_in_process.py FOLDER N``: grows trees, and after N of them is stuck in the next ones."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from meta_script import ITEMS, ONE, Scripted, pool

from masrepro.lab.forest import TreeSettings, Trio, forest
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer

MANY = [replace(ITEMS[0], id=f"many-{k}") for k in range(12)]
SETTINGS = TreeSettings(n_templates=2)


class Stuck(Scripted):
    """Stops answering for ever after some requests."""

    n_left = sys.maxsize

    async def complete(self, messages, sampling):
        self.n_left -= 1
        if self.n_left < 0:
            await asyncio.Event().wait()
        return await super().complete(messages, sampling)


def parts(models):
    """Meta-agents that put one agent on the strong model."""
    generator = Stuck("generator", lambda *_: ONE)
    return Trio(Generator(generator), Implementer(Scripted("implementer", lambda *_: "a1: strong"), models))


async def main(folder: Path, n_trees: int) -> None:
    """Grow, and say so after each tree."""
    models = pool()
    trio = parts(models)
    trio.generator.model.n_left = n_trees * SETTINGS.n_templates
    await forest(
        {"sums": MANY},
        trio,
        SETTINGS,
        models=models,
        folder=folder,
        concurrency=4,
        progress=lambda finished, total: print(f"{finished} of {total}", flush=True),
    )


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
