"""A model whose replies are kept: what was asked once is never paid for twice, also after a run was killed.

The key is everything that a reply depends on: the model's name and revision, the messages, every field of the
sampling, the repeat index among them, so that eight repeats stay eight. Errors are never kept. Not here: the cost of
a hit, which is nothing, and how a trace shows it (`Completion.cached`).
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from masrepro.models.model import Completion, Message, Model, ModelError, Price, Sampling, ToolCall, Usage

_FORMAT = 1
_WAIT_S = 60.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, revision TEXT NOT NULL, kept_at REAL NOT NULL, reply TEXT NOT NULL
) WITHOUT ROWID
"""


class BrokenCache(Exception):
    """The file is no response cache, or one of another format; says what to do."""


class Cached:
    """A model behind a response cache, satisfying `Model`.

    Parameters
    ----------
    model : Model
        Asked for what the cache does not hold. Two that share a file must differ in name or revision if their
        replies can differ.
    path : Path
        An SQLite file; made if it is not there. Any number of threads and processes of one machine may share it.

    Raises
    ------
    BrokenCache
        The file is something else.

    Notes
    -----
    A reply is in the file before `complete` returns it, and stays there if the process is killed. Requests that are
    equal and in flight at once, on one event loop, are sent once: the others get the first one's reply as a hit, or its
    error, which is counted once too. Draws that are meant to differ must therefore differ in seed or repeat.
    """

    def __init__(self, model: Model, path: Path) -> None:
        self.model = model
        self.name = model.name
        self.revision = model.revision
        self.context_tokens = model.context_tokens
        self.price: Price | None = model.price
        self._replies = _Replies(path)
        self._flights: dict[tuple[asyncio.AbstractEventLoop, str], asyncio.Future[Completion]] = {}

    def over(self, model: Model) -> Cached:
        """This cache in front of another form of its model, such as one whose calls are counted."""
        other = copy(self)
        other.model = model
        return other

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """The kept reply, without usage and marked as ``cached``; else the model's, which is then kept."""
        key = reply_key(self.model, messages, sampling)
        flight = (asyncio.get_running_loop(), key)
        while flight in self._flights:
            reply = await _landed(self._flights[flight])
            if reply is not None:
                return reply
        kept = self._replies.get(key)
        if kept is not None:
            return kept
        landing = self._flights[flight] = flight[0].create_future()
        try:
            completion = await self.model.complete(messages, sampling)
            # Shielded: what is paid for is kept, even if the caller is called off now.
            await asyncio.shield(asyncio.to_thread(self._replies.put, key, self.model, completion))
            landing.set_result(completion)
            return completion
        except ModelError as error:
            landing.set_exception(error)
            landing.exception()  # nobody may be waiting for it
            raise
        finally:
            landing.cancel()
            del self._flights[flight]

    def close(self) -> None:
        """Let go of the file."""
        self._replies.close()

    def __repr__(self) -> str:
        return f"Cached({self.model!r}, {self._replies.path.name!r})"


def reply_key(model: Model, messages: Sequence[Message], sampling: Sampling) -> str:
    """What a reply is kept under: a hash of everything that it depends on, the same in every process."""
    request = {
        "format": _FORMAT,
        "model": model.name,
        "revision": model.revision,
        "messages": [asdict(message) for message in messages],
        "sampling": asdict(sampling),
    }
    return sha256(json.dumps(request).encode()).hexdigest()


async def _landed(landing: asyncio.Future[Completion]) -> Completion | None:
    """What came of an equal request that was in flight already; None if it was called off."""
    await asyncio.wait([landing])
    if landing.cancelled():
        return None
    error = landing.exception()
    if isinstance(error, ModelError):
        raise type(error)(str(error))
    return _hit(landing.result())


def _hit(completion: Completion) -> Completion:
    return Completion(
        completion.text, completion.finish, Usage(), completion.reasoning, completion.tool_calls, cached=True
    )


class _Replies:
    """The file. Readers never wait for a writer (write-ahead log); writers wait for each other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._writer = _connect(path)
            self._reader = _connect(path)
        except sqlite3.DatabaseError as error:
            raise BrokenCache(
                f"{path} is no response cache ({error}); delete it, or keep replies in another file"
            ) from error

    def get(self, key: str) -> Completion | None:
        row = self._reader.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else _hit(_from_record(json.loads(row[0])))

    def put(self, key: str, model: Model, completion: Completion) -> None:
        row = (key, model.name, model.revision, time.time(), json.dumps(_to_record(completion)))
        with self._lock, self._writer:
            self._writer.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        self._reader.close()
        self._writer.close()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_S, check_same_thread=False)
    _refuse_another(connection)
    # Against a killed process the log is safe as it is; only a power cut may lose the last replies.
    _to_log(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_SCHEMA)
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
    return connection


def _refuse_another(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN")  # both are read at one moment: another process may be making the file
        (found,), (n_tables,) = (
            connection.execute(f"SELECT {what}").fetchone()
            for what in ("user_version FROM pragma_user_version", "count(*) FROM sqlite_master")
        )
    if found not in (0, _FORMAT):
        raise sqlite3.DatabaseError(f"it has format {found}, and only {_FORMAT} is known")
    if not found and n_tables:
        raise sqlite3.DatabaseError("it holds other tables")


def _to_log(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait here when another process is switching."""
    until = time.monotonic() + _WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def _to_record(completion: Completion) -> dict[str, Any]:
    """With what it cost when it was drawn, for whoever looks into the file."""
    record = asdict(completion)
    record["usage"]["cost_usd"] = None if completion.usage.cost_usd is None else str(completion.usage.cost_usd)
    return record


def _from_record(record: dict[str, Any]) -> Completion:
    calls = tuple(ToolCall(**call) for call in record["tool_calls"])
    return Completion(record["text"], record["finish"], Usage(), record["reasoning"], calls)
