"""A notebook's side of a run: `open_run` in the cell below the parameters, `Run.finish` in the last cell.

The same notebook works under ``python -m masrepro run``, under bare papermill, and in JupyterLab: params are
validated here again, and the run folder is the runner's, or one that this kernel opens for itself.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Unpack

from masrepro.bench import Item
from masrepro.lab.cost import ACCOUNT, CostLimit
from masrepro.lab.estimate import Estimate, estimate
from masrepro.lab.evaluate import Designer, Evaluation, Options, evaluate
from masrepro.lab.executor import IN_PROCESS, Executor, ExecutorUnavailable, executor_named
from masrepro.lab.file import Lock
from masrepro.lab.home import Home, find_home
from masrepro.lab.params import EvaluationParams, Params
from masrepro.lab.problem import BadInput
from masrepro.lab.provenance import data_hash, provenance, source_hash
from masrepro.lab.redaction import scrub
from masrepro.lab.resolve import resolve, schema_of
from masrepro.lab.run_folder import RESULTS, RunFolder, Status, open_folder
from masrepro.lab.sample import Key
from masrepro.lab.sample_store import WAITING, SampleStore
from masrepro.lab.table import Row, csv_text, latex_text, markdown_text
from masrepro.lab.variables import parameters
from masrepro.models.cache import Cached
from masrepro.models.model import Model, Pool, Usage
from masrepro.runtime.budget import UNLIMITED
from masrepro.runtime.run import GREEDY

RUN_DIR = "MASREPRO_RUN_DIR"
THREADING = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}
"""Idle threads of one process must not spin on the cores of another; read when torch is first imported."""
REPORT_EVERY_S = 5.0
REPLIES = "replies.sqlite"
"""The response cache below ``outputs/``, which all runs share."""


class Drawn(Protocol):
    """What a figure is here: the report's, whose module lies above this one."""

    def svg(self) -> str: ...

    def narrow(self) -> str: ...


class Run:
    """An open run.

    Parameters
    ----------
    params : Params
        Validated.
    home : Home
    folder : RunFolder
        Where everything goes.
    lock : Lock or None
        Held when this kernel owns the folder; None when the runner does.
    executor : Executor
        Where evaluations run.
    """

    def __init__(
        self, params: Params, home: Home, folder: RunFolder, lock: Lock | None, executor: Executor = IN_PROCESS
    ) -> None:
        self.params = params
        self.executor = executor
        self.folder = folder
        self.store = SampleStore(folder.path, on_wait=lambda: print(WAITING))
        self.cost_limit = CostLimit(params.max_cost_usd, folder.path / ACCOUNT)
        self._home = home
        self._lock = lock
        self._models: dict[str, str] = {}
        self._data: dict[str, str] = {}
        self._spent = Usage()
        self._began = time.monotonic()

    @property
    def path(self) -> Path:
        """The run folder."""
        return self.folder.path

    async def evaluate(
        self,
        system: Designer,
        items: Sequence[Item],
        *,
        models: Pool | Model | Mapping[str, Model],
        benchmark: str,
        **options: Unpack[Options],
    ) -> Evaluation:
        """`masrepro.evaluate` with this run's store, cache, cost limit, executor and progress lines.

        Models and data are put on record. What is still to be run is estimated first, and the estimate printed unless
        it can cost nothing.
        """
        pool = self._cached(Pool.of(models))
        self._record_models(pool)
        self._data[benchmark] = data_hash(items)
        title = f"{benchmark} {system.name}"
        coming = self._estimate(system, items, pool, benchmark, options)
        if coming is not None and coming.most.cost_usd != 0:
            print(f"{title}: {coming}", flush=True)
        options = {"cost_limit": self.cost_limit, "executor": self.executor, **options}
        return await evaluate(
            system, items, models=pool, benchmark=benchmark, store=self.store, progress=Progress(title), **options
        )

    def models(self, models: Pool | Model | Mapping[str, Model]) -> Pool:
        """Models with this run's cache and cost limit, for what calls them outside `evaluate`: a judge, `masrepro.run`.

        Raises
        ------
        UnknownPrice
            There is a cost limit, and a model has no price.
        """
        return self.cost_limit.pool(self._cached(Pool.of(models)))

    def save(self, file: str, content: str | bytes) -> Path:
        """Write a file into the run folder, never seen half written. Returns its path."""
        return self.folder.write(file, content)

    def save_results(self, results: Mapping[str, Any]) -> Path:
        """Write ``results.json``: what the notebook found, the same for the same seed, so without times."""
        return self.save(RESULTS, json.dumps(results, indent=2) + "\n")

    def save_table(self, stem: str, rows: Sequence[Row]) -> list[Path]:
        """Write a table as ``stem.csv``, ``.md`` and ``.tex``; the columns are the rows' keys."""
        texts = {"csv": csv_text(rows), "md": markdown_text(rows), "tex": latex_text(rows)}
        return [self.save(f"{stem}.{suffix}", text) for suffix, text in texts.items()]

    def save_figure(self, stem: str, figure: Drawn) -> list[Path]:
        """Write a figure as ``stem.svg``, and as ``stem.narrow.svg`` for a page on a narrow screen."""
        return [self.save(f"{stem}.svg", figure.svg()), self.save(f"{stem}.narrow.svg", figure.narrow())]

    def spend(self, usage: Usage, *, models: Pool | Model | Mapping[str, Model]) -> None:
        """Put on record what was spent outside `evaluate`, as by `masrepro.run`, and on which models."""
        self._spent += usage
        self._record_models(Pool.of(models))

    def finish(self) -> None:
        """Put the spend on record and close the run. A kernel that owns its run also marks it complete.

        Raises
        ------
        FileNotFoundError
            A file that this notebook promises is not there yet.
        """
        missing = [file for file in self.params.files if not (self.path / file).is_file()]
        if missing:
            raise FileNotFoundError(f"write {', '.join(missing)} before run.finish()")
        stopped = self._why_stopped()
        self.folder.update(models=self._models, data=self._data, stopped=stopped)
        self.folder.record_spend(self.store.spent + self._spent, len(self.store.samples))
        if self._lock is not None:
            status: Status = "incomplete" if stopped else "complete"
            self.folder.close(status, stopped, time.monotonic() - self._began)
        self.close()
        if self._lock is not None:
            scrub(self.path)
        print(stopped or f"finished: {self._home.short(self.path)}")

    def close(self) -> None:
        """Let the next run in; what is finished stays."""
        self.store.close()
        self.cost_limit.close()
        self.executor.close()
        if self._lock is not None:
            self._lock.release()

    def _why_stopped(self) -> str | None:
        n_stopped = sum(sample.stopped for sample in self.store.samples)
        if not n_stopped:
            return None
        return f"{self.cost_limit} stopped {n_stopped} of {len(self.store.samples)} samples; raise it to go on"

    def _cached(self, pool: Pool) -> Pool:
        if not self.params.cache:
            return pool
        replies = self._home.outputs / REPLIES
        return Pool({name: Cached(model, replies) for name, model in pool.items()}, pool.default)

    def _estimate(
        self, system: Designer, items: Sequence[Item], pool: Pool, benchmark: str, options: Options
    ) -> Estimate | None:
        """Of the samples that are still to be run; None if there are none."""
        repeats = range(options.get("repeats", 1))
        finished = {sample.key for sample in self.store.samples if sample.measured}
        jobs = [(item, sum(Key(system.name, benchmark, item.id, r) not in finished for r in repeats)) for item in items]
        jobs = [(item, n_samples) for item, n_samples in jobs if n_samples]
        if not jobs:
            return None
        own = (sample.usage for sample in self.store.samples if sample.system == system.name)
        return estimate(
            system,
            jobs,
            models=pool,
            sampling=options.get("sampling", GREEDY),
            max_calls=options.get("budget", UNLIMITED).calls,
            rationale_chars=options.get("rationale_chars", 400),
            sub_agents=options.get("sub_agents"),
            seen=sum(own, Usage()),
        )

    def _record_models(self, pool: Pool) -> None:
        self._models.update({name: model.revision for name, model in pool.items()})

    def __repr__(self) -> str:
        return f"Run({self._home.short(self.path)})"


class Progress:
    """Prints how far an evaluation is: at the start, every few seconds, and at the end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._printed: float | None = None

    def __call__(self, finished: int, total: int) -> None:
        now = time.monotonic()
        if self._printed is None or finished == total or now - self._printed >= REPORT_EVERY_S:
            self._printed = now
            print(f"{self._title}: {finished}/{total}", flush=True)


_open: dict[str, Run] = {}


def open_run(name: str, namespace: Mapping[str, Any]) -> Run:
    """Validate a notebook's params and open its run: the cell below the parameters cell.

    Parameters
    ----------
    name : str
        The notebook's name, such as ``01_five_axes``.
    namespace : mapping
        ``globals()``: plain variables set so far are taken as params, over those of
        ``params/PROFILE/NAME.yaml``.

    Raises
    ------
    BadInput
        Lists everything that is wrong with the params, or says why their executor cannot be used.
    Locked
        The kernel of an earlier run still writes to the folder.
    """
    for variable, value in THREADING.items():
        os.environ.setdefault(variable, value)
    home = find_home()
    previous = _open.pop(name, None)
    if previous is not None:
        previous.close()
    known = list(schema_of(name).model_fields)
    params = resolve(name, home=home, variables=parameters(namespace, known=known, reopened=previous is not None))
    executor = _executor(params)
    run_dir = os.environ.get(RUN_DIR)
    if run_dir is None:
        opened = open_folder(
            home.outputs,
            name,
            params,
            source_hash(home.notebook(name)),
            provenance=lambda: provenance(home.root),
        )
        run = Run(params, home, opened.folder, opened.lock, executor)
        print(f"{opened.why}, in {home.short(run.path)}")
    else:
        run = Run(params, home, _given_folder(Path(run_dir), params), None, executor)
    finished = sum(sample.measured for sample in run.store.samples)
    if finished:
        print(f"{finished} finished samples found; they are not run again")
    _open[name] = run
    return run


def _executor(params: Params) -> Executor:
    """The params' executor, before anything is spent."""
    try:
        return executor_named(params.executor if isinstance(params, EvaluationParams) else "local")
    except ExecutorUnavailable as error:
        raise BadInput.of(str(error)) from error


def _given_folder(path: Path, params: Params) -> RunFolder:
    """The runner's folder, which must be for these params: a notebook may not change them behind its back."""
    folder = RunFolder(path)
    expected = folder.read()["params"]
    changed = {key: value for key, value in params.values().items() if expected.get(key) != value}
    if changed:
        raise BadInput.of(f"the notebook itself sets {changed} above open_run; set params in a params file or with -p")
    return folder
