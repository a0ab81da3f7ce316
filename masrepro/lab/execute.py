"""Executes a notebook through papermill into a run folder, and nothing more: the verdict is for `audit`.

papermill reads the notebook from, and writes it to, this module instead of the file system: each save is then
redacted and renamed into place, and the notebook's metadata holds no absolute path.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import site
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from masrepro.lab.audit import is_code
from masrepro.lab.home import PACKAGE, VARIABLE, Home
from masrepro.lab.notebook import RUN_DIR, THREADING
from masrepro.lab.redaction import redact
from masrepro.lab.run_folder import NOTEBOOK, RunFolder

START_TIMEOUT_S = 300
_SCHEME = "masrepro://"

Say = Callable[[str], None]


class KernelDied(Exception):
    """The notebook's process did not start, or ended in mid-run: killed, or out of memory."""


def execute(home: Home, folder: RunFolder, params: Mapping[str, Any], say: Say) -> None:
    """Run the notebook of a run folder with these params; its executed form goes there, cell by cell.

    Parameters
    ----------
    home : Home
    folder : RunFolder
        ``outputs/NAME/RUN_ID``.
    params : mapping
        JSON-ready values, all injected.
    say : callable
        Takes one line at a time: progress, and what the notebook prints.

    Raises
    ------
    KernelDied
        The notebook's process did not start, or ended in mid-run.

    Notes
    -----
    An exception inside the notebook is not raised: it stands in the executed notebook.
    """
    from jupyter_core.utils import ensure_event_loop
    from nbclient.exceptions import DeadKernelError
    from papermill import execute_notebook
    from papermill.exceptions import PapermillExecutionError
    from papermill.iorw import papermill_io
    from traitlets.config import Config

    source = home.notebook(folder.name)
    papermill_io.register(_SCHEME, _Files(source, folder, home))
    # papermill warns of every value that the parameters cell does not name; the notebook validates them all.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    n_cells = 1 + sum(is_code(cell) for cell in json.loads(source.read_bytes())["cells"])
    numbers = count(1)
    output = _Lines(say)

    def announce(cell: Mapping[str, Any], cell_index: int) -> None:
        if is_code(cell):
            output.end_line()
            say(f"code cell {next(numbers)} of {n_cells}: {_first_line(cell)}")

    def report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        # Ctrl-C leaves nbclient's wait for the kernel behind, which then ends with the kernel.
        if not isinstance(context.get("exception"), DeadKernelError):
            loop.default_exception_handler(context)

    ensure_event_loop().set_exception_handler(report)
    with _environment(home, folder):
        try:
            execute_notebook(
                f"{_SCHEME}notebooks/{source.name}",
                f"{_SCHEME}outputs/{folder.name}/{folder.run_id}/{NOTEBOOK}",
                parameters=dict(params),
                kernel_name="python3",
                cwd=str(source.parent),
                start_timeout=START_TIMEOUT_S,
                progress_bar=False,
                stdout_file=output,
                stderr_file=output,
                on_cell_start=announce,
                # Without this the kernel warns that its sockets on loopback are in plain text.
                config=Config(KernelManager={"transport_encryption": "auto"}),
            )
        except PapermillExecutionError:
            pass
        except DeadKernelError as error:
            raise KernelDied("the kernel ended in mid-run: killed, or out of memory") from error
        except RuntimeError as error:
            raise KernelDied(f"the kernel did not start: {error}") from error
        finally:
            output.end_line()


class _Files:
    """papermill's input and output, as one of its handlers."""

    def __init__(self, source: Path, folder: RunFolder, home: Home) -> None:
        self._source = source
        self._folder = folder
        self._root = home.root

    def read(self, path: str) -> str:
        return self._source.read_text(encoding="utf-8")

    def write(self, text: str, path: str) -> None:
        self._folder.write(NOTEBOOK, text.replace(f"{self._root}{os.sep}", ""))

    def pretty_path(self, path: str) -> str:
        return path.removeprefix(_SCHEME)


class _Lines:
    """A file that hands on whole lines, indented and redacted."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._rest = ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._say(f"  {redact(line)}")
        return len(text)

    def flush(self) -> None:
        """Lines are handed on when they are whole."""

    def end_line(self) -> None:
        """Hand on a last line without its end."""
        if self._rest:
            self.write("\n")


@contextmanager
def _environment(home: Home, folder: RunFolder) -> Iterator[None]:
    """Variables for the kernel, which inherits this process's."""
    changes = {
        VARIABLE: str(home.root),
        RUN_DIR: str(folder.path),
        **THREADING,
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    if str(PACKAGE.parent) not in {*site.getsitepackages(), site.getusersitepackages()}:
        # The kernel must import the masrepro that runs here, also from a checkout that is not installed.
        changes["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]))
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _first_line(cell: Mapping[str, Any]) -> str:
    return str(cell["source"]).strip().splitlines()[0][:80]
