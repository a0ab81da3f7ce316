"""The command line: ``python -m masrepro run | reproduce | publish | list | bench | desk | train``.

Exit codes: 0 all is well, 1 a run failed or is incomplete, 2 the input is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from masrepro.lab.home import Home, find_home
from masrepro.lab.params import PROFILES, SCHEMAS, describe
from masrepro.lab.problem import BadInput
from masrepro.lab.resolve import resolve
from masrepro.lab.run_folder import NOTEBOOK, newest_complete
from masrepro.lab.sample_store import BrokenStore

_EXAMPLES = """examples:
  python -m masrepro list
  python -m masrepro run 01_five_axes --profile smoke
  python -m masrepro run 01_five_axes -p n_samples 20 -p axes.depth '[2, 4]'
  python -m masrepro run 01_five_axes -f my_ablation.yaml
  python -m masrepro reproduce --profile desk

The same command again resumes an unfinished run; finished samples are not run again."""

_MOST_PROCESSES = 4
"""Of a training, unless more are asked for: its steps are too small to be shared further."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options, arguments)
    except (BadInput, BrokenStore) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\ninterrupted; {_how_to_resume(arguments)}", file=sys.stderr)
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m masrepro",
        description="Run the notebooks: validated params, recorded runs, resume by the same command.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run one notebook, or resume its last run")
    run.add_argument("name", metavar="NAME", help="notebook, such as 01_five_axes; `list` shows all")
    _add_params(run)
    run.add_argument("--fresh", action="store_true", help="start anew, even if a run could be resumed")
    about = "US dollars: stop before it costs more, as -p max_cost_usd; a higher one resumes"
    run.add_argument("--max-cost", metavar="USD", help=about)
    run.set_defaults(command=_run)

    reproduce = commands.add_parser(
        "reproduce",
        help="run all notebooks and write outputs/report.html",
        description="Run all notebooks of a profile and write outputs/report.html. Complete runs "
        "with the same params and code are reused, unfinished ones resumed.",
    )
    reproduce.add_argument("--profile", default="desk", metavar="P", help="params folder (default: desk)")
    reproduce.add_argument("--fresh", action="store_true", help="reuse and resume nothing")
    reproduce.add_argument("--jobs", type=int, metavar="N", help="notebooks at a time (default: 2, or 1 on one core)")
    reproduce.set_defaults(command=_reproduce)

    publish = commands.add_parser(
        "publish", help="collect a finished desk reproduction into outputs/reference, and its claims into README.md"
    )
    publish.add_argument("--tables", action="store_true", help="only write page and tables again from the collection")
    publish.set_defaults(command=_publish)

    desk = commands.add_parser("desk", help="train a desk model", description="Train a desk model from nothing.")
    actions = desk.add_subparsers(required=True, metavar="train | cards")
    cards = actions.add_parser("cards", help="write the models' cards from a run of 03_desk_models")
    cards.add_argument("--run", type=Path, metavar="DIR", help="its folder (default: the newest complete desk run)")
    cards.set_defaults(command=_cards)
    train = actions.add_parser(
        "train", help="train a model; the same command resumes", description="Train a desk model on this machine."
    )
    train.add_argument(
        "name",
        metavar="NAME",
        help="which: solver-s, solver-m, solver-l, solver-xl, orchestrator, thinker, sequencer",
    )
    train.add_argument("--minutes", type=float, metavar="M", help="the same course in that training time")
    train.add_argument("--seed", type=int, default=0, metavar="N", help="of weights and data (default: 0)")
    train.add_argument("--folder", type=Path, metavar="DIR", help="default: outputs/desk/NAME")
    train.add_argument("--processes", type=int, metavar="N", help="cores to train on (default: all, at most 4)")
    train.add_argument("--start", type=Path, metavar="DIR", help="folder of a shorter training, to go on from there")
    train.set_defaults(command=_train)

    about = "train an orchestrator outside its notebook, also with `accelerate launch -m masrepro train`"
    orchestrator = commands.add_parser("train", help=about, description=about)
    orchestrator.add_argument("name", nargs="?", default="05_train_orchestrator", metavar="NAME", help="whose params")
    _add_params(orchestrator)
    orchestrator.add_argument(
        "--folder", type=Path, metavar="DIR", help="default: one in outputs/training for the params"
    )
    orchestrator.add_argument("--dry-run", action="store_true", help="only say what it would take")
    orchestrator.set_defaults(command=_train_orchestrator)

    _add_bench(commands.add_parser("bench", help="show benchmarks and make items", description="Benchmarks."))

    listing = commands.add_parser("list", help="show notebooks and their params")
    listing.set_defaults(command=_list)
    return parser


def _add_params(command: argparse.ArgumentParser) -> None:
    command.add_argument("--profile", metavar="P", help=f"params folder: {', '.join(PROFILES)} (default: desk)")
    command.add_argument("-f", "--file", type=Path, metavar="FILE", help="YAML, laid over the profile's")
    about = "a param, over all files; VALUE is YAML, KEY may be dotted: axes.depth '[2, 4]'"
    command.add_argument("-p", dest="param", nargs=2, action="append", default=[], metavar=("KEY", "VALUE"), help=about)


def _add_bench(bench: argparse.ArgumentParser) -> None:
    commands = bench.add_subparsers(required=True, metavar="list | show | make")
    commands.add_parser("list", help="all benchmarks").set_defaults(command=_bench_list)

    show = commands.add_parser("show", help="one benchmark's card, and what of it is on this machine")
    show.add_argument("name", metavar="NAME", help="such as gsm8k or masbench/depth/4; `bench list` shows all")
    show.add_argument("--data-dir", type=Path, metavar="DIR", help="your own files (default: MASREPRO_DATA)")
    show.set_defaults(command=_bench_show)

    make = commands.add_parser("make", help="write MASBench items to a JSON-lines file")
    make.add_argument("--axis", required=True, metavar="A", help="such as depth")
    make.add_argument("--value", required=True, type=int, metavar="V", help="the axis value, 2 to 12")
    make.add_argument("-n", required=True, type=int, metavar="N", help="how many items")
    make.add_argument("--split", default="test", metavar="S", help="test or train (default: test)")
    make.add_argument("--option", action="append", default=[], metavar="O", help="such as abstract; may be repeated")
    make.add_argument("--paper", action="store_true", help="follow the published construction")
    make.add_argument("--out", required=True, type=Path, metavar="FILE", help="the file to write")
    make.add_argument("--force", action="store_true", help="replace the file if it is there")
    make.set_defaults(command=_bench_make)


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    home = find_home()
    given = [*options.param, *([("max_cost_usd", options.max_cost)] if options.max_cost is not None else [])]
    params = resolve(options.name, home=home, profile=options.profile, file=options.file, options=given)
    print(f"{options.name}, profile {params.profile}")
    for key, value in params.values().items():
        print(f"  {key}: {json.dumps(value)}")
    print(params.bound(), flush=True)

    from masrepro.lab.runner import error_text, run_notebook

    finished = run_notebook(home, options.name, params, fresh=options.fresh, say=_say)
    if finished.status == "complete":
        print(f"complete in {finished.seconds / 60:.1f} min: {home.short(finished.folder.path)}")
        return 0
    for line in (
        f"{finished.status}: {finished.reason}",
        error_text(finished.folder),
        f"executed notebook: {home.short(finished.folder.path / NOTEBOOK)}",
        _how_to_resume(arguments),
    ):
        if line:
            print(line, file=sys.stderr)
    return 1


def _reproduce(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.lab.reproduce import reproduce
    from masrepro.report.page import write_report

    if options.jobs is not None and options.jobs < 1:
        raise BadInput.of(f"--jobs is {options.jobs}; it must be 1 or more")
    steps = reproduce(
        find_home(),
        options.profile,
        write_report=write_report,
        fresh=options.fresh,
        jobs=options.jobs,
        say=_say,
    )
    if all(step.good for step in steps):
        return 0
    print(_how_to_resume(arguments), file=sys.stderr)
    return 1


def _publish(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.report.reference import publish, write_tables

    (write_tables if options.tables else publish)(find_home(), say=_say)
    return 0


def _train(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.lab.provenance import cores, provenance
    from masrepro.train.desk_recipe import RECIPES
    from masrepro.train.desk_training import train

    if options.name not in RECIPES:
        raise BadInput.of(f"no desk model {options.name!r}; there are {', '.join(RECIPES)}")
    if options.minutes is not None and options.minutes <= 0:
        raise BadInput.of(f"--minutes is {options.minutes:g}; it must be more than 0")
    if options.processes is not None and options.processes < 1:
        raise BadInput.of(f"--processes is {options.processes}; it must be 1 or more")
    recipe = replace(RECIPES[options.name], minutes=options.minutes, seed=options.seed)
    home = find_home()
    folder = options.folder or home.outputs / "desk" / options.name
    made_by = provenance(home.root)
    about = {"commit": made_by["commit"], "dirty": made_by["dirty"]}
    try:
        processes = options.processes or min(_MOST_PROCESSES, cores())
        finished = train(recipe, folder, start=options.start, processes=processes, about=about, report=_say)
    except (ValueError, FileNotFoundError) as error:
        raise BadInput.of(str(error)) from error
    print(f"model: {finished}")
    return 0


def _train_orchestrator(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.lab.train_command import team_of, trained_orchestrator, training_estimate
    from masrepro.lab.training_params import TrainOrchestratorParams

    home = find_home()
    params = resolve(options.name, home=home, profile=options.profile, file=options.file, options=options.param)
    if not isinstance(params, TrainOrchestratorParams):
        raise BadInput.of(f"{options.name} trains no orchestrator; 05_train_orchestrator does")
    folder = options.folder or home.outputs / "training" / params.content_hash
    try:
        print(*training_estimate(params), sep="\n", flush=True)
        if not options.dry_run:
            print(f"model: {trained_orchestrator(params, folder, team_of(params), report=_say).folder}")
    except (ValueError, FileNotFoundError) as error:
        raise BadInput.of(str(error)) from error
    return 0


def _cards(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.report.card import write_cards

    home = find_home()
    newest = newest_complete(home.outputs, "03_desk_models", "desk")
    folder = options.run or (newest.path if newest else None)
    if folder is None:
        raise BadInput.of("no complete run to take figures from: python -m masrepro run 03_desk_models --profile desk")
    try:
        for path in write_cards(folder):
            print(home.short(path))
    except FileNotFoundError as error:
        raise BadInput.of(f"{home.short(folder)} has no results yet: {error}") from error
    return 0


def _bench_list(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.lab.bench_command import bench_list

    print(*bench_list(), sep="\n")
    return 0


def _bench_show(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.lab.bench_command import bench_show

    print(*bench_show(options.name, options.data_dir), sep="\n")
    return 0


def _bench_make(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from masrepro.lab.bench_command import bench_make

    line = bench_make(
        options.axis,
        options.value,
        options.n,
        options.split,
        options.out,
        options=options.option,
        paper=options.paper,
        force=options.force,
    )
    print(line)
    return 0


def _list(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    home = find_home()
    for name in home.notebooks():
        print(f"{name}: {_claim(home, name)}")
        for key, default, text in describe(SCHEMAS[name]) if name in SCHEMAS else ():
            print(f"    {key:14} {text} (default {default})")
    return 0


def _claim(home: Home, name: str) -> str:
    """The notebook's title: the first line of its first Markdown cell."""
    cells = json.loads(home.notebook(name).read_bytes())["cells"]
    texts = ("".join(cell["source"]).strip() for cell in cells if cell["cell_type"] == "markdown")
    return next((text.splitlines()[0].lstrip("# ") for text in texts if text), "untitled")


def _say(line: str) -> None:
    if line:
        print(line, flush=True)


def _how_to_resume(arguments: Sequence[str]) -> str:
    same = [part for part in arguments if part != "--fresh"]
    return f"to resume: python -m masrepro {shlex.join(same)}"
