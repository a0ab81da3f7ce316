"""Imports point downwards only, and what must stay light imports nothing heavy."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import masrepro

ROOT = Path(masrepro.__file__).parent

# A package may import those of earlier lines, and itself.
LAYERS = (
    ("orchestration",),
    ("tools", "models", "bench"),
    ("agents",),
    ("runtime",),
    ("meta", "baselines", "train"),
    ("lab",),
    ("report", "explore"),
)
ALLOWED = {
    package: {package, *(below for lower in LAYERS[:height] for below in lower)}
    for height, layer in enumerate(LAYERS)
    for package in layer
} | {"bench": {"bench", "orchestration", "tools"}}  # tools: code is scored in the sandbox
for package in ("agents", "runtime"):
    ALLOWED[package].discard("bench")

LIGHT = ("orchestration", "agents", "runtime", "models/model.py", "lab/params.py", "lab/schema.py")
HEAVY = {
    *("torch", "transformers", "openai", "httpx2", "pandas", "plotly", "papermill", "IPython", "matplotlib"),
    *("bm25s", "trafilatura", "playwright", "ddgs", "ray"),
}
MODULES = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(("masrepro", *path.with_suffix("").parts)).removesuffix(".__init__")


def imported(path: Path) -> Iterator[str]:
    """Full names of the project's modules that a module imports anywhere, also inside functions."""
    package = name_of(path).split(".") if path.name == "__init__.py" else name_of(path).split(".")[:-1]
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            names = [".".join([*above, *([node.module] if node.module else []), a.name]) for a in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "masrepro")


@pytest.mark.parametrize("path", [path for path in MODULES if len(path.parts) > 1], ids=str)
def test_imports_point_downwards(path):
    package = path.parts[0]
    assert package in ALLOWED, f"{package} has no place in LAYERS"
    for name in imported(path):
        assert len(name.split(".")) > 1 and name.split(".")[1] in ALLOWED[package], f"{path} imports {name}"


def modules_after(*imports: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after these imports."""
    program = f"import sys, {', '.join(imports)}; print(*{{name.split('.')[0] for name in sys.modules}})"
    environment = {**os.environ, "PYTHONPATH": str(ROOT.parent)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return set(done.stdout.split())


def test_importing_masrepro_imports_next_to_nothing():
    assert not modules_after("masrepro") & (HEAVY | {"numpy", "pydantic", "asyncio", "yaml", "decimal"})


def test_light_modules_import_nothing_heavy():
    light = [path for path in MODULES if str(path).startswith(LIGHT)]
    assert len(light) > 15
    assert not modules_after(*map(name_of, light)) & HEAVY


def test_the_public_names_are_there_and_stay_light():
    public = ("parse", "run", "run_sync", "DoM", "Budget", "Orchestration", "OrchestrationError", "Pool")
    for name in public:
        assert getattr(masrepro, name).__name__ == name
    assert {*public, "Agent", "Flow", "Trace", "RunResult", "evaluate"} <= set(dir(masrepro))
    with pytest.raises(AttributeError, match="no attribute 'rum'"):
        masrepro.rum  # noqa: B018


def test_evaluate_is_the_labs():
    from masrepro.lab.evaluate import evaluate

    assert masrepro.evaluate is evaluate
