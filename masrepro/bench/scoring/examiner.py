"""Holds code against tests from inside the sandbox. Its text is run there as a program; it imports no sibling.

Standard input brings the readings of a reply (the first that compiles is run), the tests and the number that is written
once the tests have ended. What the code prints goes to standard error, which no verdict depends on.

The tests get built-in functions that the code cannot have patched, and compare only values that are not equal to
everything.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import sys
from types import CodeType, ModuleType
from typing import Any

NOT_PYTHON = "not Python"
_PLAIN = "_plain"  # what the tests call `plain`
_STRANGER = object()


def main() -> None:
    """Run the exam that standard input describes."""
    exam = json.load(sys.stdin)
    verdict = os.dup(1)
    os.dup2(2, 1)
    # Taken before the code can replace them.
    write, execute, untrace, built_in = os.write, exec, sys.settrace, dict(vars(builtins))
    solution = first_that_compiles(exam["programs"])
    if solution is None:
        write(verdict, NOT_PYTHON.encode())
        return
    tests = guarded(exam["tests"])
    module = ModuleType("solution")  # not __main__: what a reply does as a script is not asked for
    sys.modules["solution"] = module
    execute(solution, module.__dict__)
    untrace(None)
    execute(tests, {**module.__dict__, "__builtins__": built_in, _PLAIN: plain})
    write(verdict, exam["nonce"].encode())


def first_that_compiles(programs: list[str]) -> CodeType | None:
    """The first program that is Python; where none is, what is wrong with the first goes to standard error."""
    faults = []
    for program in programs:
        try:
            return compile(program, "solution.py", "exec")
        except (SyntaxError, ValueError, RecursionError) as error:
            faults.append(f"{type(error).__name__}: {error}")
    print(faults[0], file=sys.stderr)
    return None


def guarded(tests: str) -> CodeType:
    """The tests, with every operand of ``==`` and ``!=`` passed through `plain`."""
    return compile(ast.fix_missing_locations(_Guard().visit(ast.parse(tests))), "tests.py", "exec")


class _Guard(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        self.generic_visit(node)
        if any(isinstance(operator, (ast.Eq, ast.NotEq)) for operator in node.ops):
            node.left, *node.comparators = map(_checked, (node.left, *node.comparators))
        return node


def _checked(operand: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(_PLAIN, ast.Load()), [operand], [])


def plain(value: Any) -> Any:
    """The value itself. Raises TypeError where it, or a part of it, is equal to anything whatever."""
    if type(value) is dict:
        plain(list(value.values()))
    elif type(value) in (list, tuple, set, frozenset):
        for part in value:
            plain(part)
    elif _equals_everything(value):
        raise TypeError("a value that is equal to everything is no answer")
    return value


def _equals_everything(value: Any) -> bool:
    try:
        return bool(value == _STRANGER) or not value != _STRANGER  # noqa: SIM202
    except Exception:  # an equality that fails on strangers is not one with everything
        return False


if __name__ == "__main__":
    main()
