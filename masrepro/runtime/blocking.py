"""Waits for a coroutine in code that cannot await: a script, or a notebook cell, where a loop runs."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


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

    async def watched() -> T:
        nonlocal task
        task = asyncio.current_task()
        return await coroutine

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="masrepro") as thread:
        future = thread.submit(contextvars.copy_context().run, asyncio.run, watched())
        try:
            return future.result()
        except BaseException:
            if task is not None and not future.done():
                with suppress(RuntimeError):  # it has just ended by itself and closed its loop
                    task.get_loop().call_soon_threadsafe(task.cancel)
            raise
