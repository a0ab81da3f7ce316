"""Waits for a coroutine in code that cannot await: a script, or a notebook cell, where a loop runs."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from concurrent import futures
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_WAIT_S = 0.2


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. Inside a running event loop it gets a thread with a loop of its own.

    An interrupt (Ctrl-C, a notebook's stop button) cancels the coroutine, waits until it has cleaned up, and
    goes on.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    task: asyncio.Task[T] | None = None
    called_off = False

    async def watched() -> T:
        nonlocal task
        task = asyncio.current_task()
        if called_off:
            coroutine.close()
            raise asyncio.CancelledError
        return await coroutine

    with futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="masrepro") as thread:
        # The thread is there before anything is to be called off: an executor that is interrupted while it starts its
        # thread does not wait for it.
        thread.submit(int).result()
        try:
            future = thread.submit(contextvars.copy_context().run, asyncio.run, watched())
            # A signal that comes just before the wait does not end it, so no wait is long.
            while not futures.wait([future], timeout=_WAIT_S).done:
                pass
            return future.result()
        except BaseException:
            called_off = True
            if task is not None:
                with suppress(RuntimeError):  # it has ended by itself and closed its loop
                    task.get_loop().call_soon_threadsafe(task.cancel)
            raise
