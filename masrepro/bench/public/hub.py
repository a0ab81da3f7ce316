"""A benchmark from elsewhere: the hub, at a commit, through `datasets`; or a Python package that carries it."""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata, util
from pathlib import Path

from masrepro.bench.public.card import Hub, Package
from masrepro.bench.public.error import DataError
from masrepro.bench.public.file import Source, read_file
from masrepro.bench.public.record import Record


def read_hub(hub: Hub, split: str, revision: str | None = None) -> Source:
    """All records of one split, configurations one after the other.

    Parameters
    ----------
    hub : Hub
        Where.
    split : str
        The hub's name for the split.
    revision : str or None
        Another commit than the card's; needed where the card has none.

    Raises
    ------
    DataError
        There is no commit to load, `datasets` is not installed, or the hub does not deliver.
    """
    revision = revision or hub.revision
    if not revision:
        raise DataError(f"{hub.id}, revision: not pinned: {hub.not_pinned}; give one (revision=..., a commit)")
    try:
        from datasets import load_dataset
        from datasets.exceptions import DatasetsError
    except ImportError as error:
        raise DataError(f"loading {hub.id} from the hub needs datasets: pip install datasets") from error
    records: list[tuple[str, Record]] = []
    for config in hub.configs:
        place = f"{config} record" if config else "record"
        try:
            rows = load_dataset(hub.id, config, split=split, revision=revision)
        except (DatasetsError, OSError, ValueError) as error:
            raise DataError(f"{hub.id}, revision {revision}: the hub does not deliver: {error}") from error
        records += ((f"{place} {number}", row) for number, row in enumerate(rows, start=1))
    return Source(f"{hub.id}@{revision}", {"hub": hub.id, "revision": revision}, tuple(records))


def read_package(package: Package) -> Source | None:
    """All records of a file in an installed package, which is not imported; None where it is not installed."""
    found = util.find_spec(package.module)
    if found is None:
        return None
    folders = [Path(folder) for folder in found.submodule_search_locations or ()]
    path = next((folder / package.file for folder in folders if (folder / package.file).is_file()), None)
    if path is None:
        return None
    source = read_file(path)
    return replace(source, facts={**source.facts, "package": f"{package.name} {metadata.version(package.name)}"})
