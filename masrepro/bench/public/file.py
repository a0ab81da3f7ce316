"""A user's own copy of a benchmark: JSON lines, a JSON list, CSV or Parquet; all but Parquet also gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from masrepro.bench.public.error import DataError
from masrepro.bench.public.record import Record

ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz", ".csv", ".csv.gz", ".parquet")


@dataclass(frozen=True, slots=True)
class Source:
    """Records and where they come from.

    Parameters
    ----------
    name : str
        For people: a file's name, or repository and commit.
    facts : mapping
        For ``Item.meta``: a file's name and SHA-256, or the hub's repository and commit.
    records : tuple of (str, Record)
        Every record with its place in the source: ``line 7``, ``record 7``.
    """

    name: str
    facts: Mapping[str, str]
    records: tuple[tuple[str, Record], ...]


def find_file(names: Iterable[str], folder: Path) -> Path | None:
    """The file in a folder that has the first of these names, with any of `ENDINGS`; None if there is none.

    Raises
    ------
    DataError
        Two files with the same name and different endings: which is meant cannot be known.
    """
    for name in names:
        found = [folder / f"{name}{ending}" for ending in ENDINGS if (folder / f"{name}{ending}").is_file()]
        if len(found) > 1:
            both = " and ".join(path.name for path in found)
            raise DataError(f"{both} are both in {folder}: keep the one that is to be used")
        if found:
            return found[0]
    return None


def read_file(path: Path) -> Source:
    """All records of a file.

    Raises
    ------
    DataError
        The file cannot be read or decoded; names the line.
    """
    try:
        raw = path.read_bytes()
        content = gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    readers = {".jsonl": _json_lines, ".json": _json_list, ".csv": _csv, ".parquet": _parquet}
    records = tuple(readers[path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix](content, path))
    return Source(path.name, {"file": path.name, "sha256": sha256(raw).hexdigest()}, records)


def _json_lines(content: bytes, path: Path) -> Iterable[tuple[str, Record]]:
    for number, line in enumerate(_text(content, path).split("\n"), start=1):
        if line.strip():
            yield f"line {number}", _object(_json(line, f"{path}, line {number}"), f"{path}, line {number}")


def _json_list(content: bytes, path: Path) -> Iterable[tuple[str, Record]]:
    entries = _json(_text(content, path), str(path))
    if not isinstance(entries, list):
        raise DataError(f"{path}: must hold a list of objects; one object a line belongs into a .jsonl file")
    for number, entry in enumerate(entries, start=1):
        yield f"record {number}", _object(entry, f"{path}, record {number}")


def _csv(content: bytes, path: Path) -> Iterable[tuple[str, Record]]:
    reader = csv.DictReader(io.StringIO(_text(content, path), newline=""))
    end = 1
    try:
        for row in reader:
            start, end = end + 1, reader.line_num
            if None in row or None in row.values():
                raise DataError(f"{path}, line {start}: not as many fields as the first line has names")
            yield f"line {start}", row
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: not CSV: {error}") from error


def _parquet(content: bytes, path: Path) -> Iterable[tuple[str, Record]]:
    try:
        from pyarrow import ArrowException, BufferReader
        from pyarrow.parquet import read_table
    except ImportError as error:
        raise DataError(f"{path}: reading Parquet needs pyarrow: pip install pyarrow, or convert to .jsonl") from error
    try:
        rows = read_table(BufferReader(content)).to_pylist()
    except (ArrowException, OSError) as error:
        raise DataError(f"{path}: not Parquet: {error}") from error
    return ((f"record {number}", row) for number, row in enumerate(rows, start=1))


def _text(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{path}, line {line}: not UTF-8") from error


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{place}: not JSON: {error}") from error


def _object(entry: Any, place: str) -> Record:
    if not isinstance(entry, dict):
        raise DataError(f"{place}: not an object with keys")
    return entry
