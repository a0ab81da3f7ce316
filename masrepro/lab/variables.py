"""Which variables of a notebook are params: what papermill or the user set before the run was opened."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

_DATA = (bool, int, float, str, list, tuple, dict, NoneType)


def parameters(namespace: Mapping[str, Any], *, known: Sequence[str], reopened: bool = False) -> dict[str, Any]:
    """The params among a notebook's variables.

    Parameters
    ----------
    namespace : mapping
        The notebook's ``globals()``.
    known : sequence of str
        Names of all params.
    reopened : bool
        Whether cells below have run before in this kernel. Their variables are no params; an unknown name
        then counts only if the cell that sets ``profile`` sets it.

    Returns
    -------
    dict
        Plain data under names that neither begin with ``_`` nor are IPython's own, known or not: unknown
        names are for the schema to refuse.
    """
    hidden = _hidden_names()
    found = {
        name: value
        for name, value in namespace.items()
        if not name.startswith("_") and name not in hidden and isinstance(value, _DATA)
    }
    if not reopened:
        return found
    assigned = _assigned_beside_profile(namespace.get("In", ()))
    return {name: value for name, value in found.items() if name in known or name in assigned}


def _hidden_names() -> frozenset[str]:
    """Names that IPython itself puts into a notebook (``In``, ``Out``, ``exit``...); none outside IPython."""
    try:
        from IPython import get_ipython
    except ImportError:
        return frozenset()
    shell = get_ipython()
    return frozenset() if shell is None else frozenset(shell.user_ns_hidden)


def _assigned_beside_profile(history: Sequence[str]) -> set[str]:
    """Names that the latest cell to set ``profile`` sets."""
    for source in reversed(history):
        try:
            statements = ast.parse(source).body
        except SyntaxError:  # a cell with a magic command
            continue
        targets = [target for statement in statements for target in _targets(statement)]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if "profile" in names:
            return names
    return set()


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) else []
