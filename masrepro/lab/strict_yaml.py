"""YAML by the rules of YAML 1.2; what a YAML 1.1 reader would silently take for something else is refused.

Most readers, papermill's among them, follow YAML 1.1: there ``no`` is false, ``012`` is ten, ``10:30`` is 630
and ``1e-5`` is text. Here ``1e-5`` is a float, and wherever else the two disagree the value is refused with
its line and the remedy. PyYAML scans and composes; scalars are resolved here. Anchors, aliases, tags and
repeated keys are refused too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from masrepro.lab.problem import Problem
from masrepro.lab.redaction import is_secret_name

KeyPath = tuple[str | int, ...]

_PLAIN, _QUOTED = "plain", "quoted"
# No more digits than Python reads; a longer number is refused, being no number to one of the two versions.
_INT = re.compile(r"[-+]?[0-9]{1,4000}|0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,3000}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_UNREADABLE = object()


@dataclass
class Document:
    """What a text says, where each value stands, and what is wrong with it.

    Parameters
    ----------
    value : Any
        Nested dicts, lists and scalars.
    lines : dict
        Line number, from 1, by path into ``value``.
    problems : list of Problem
        Each with its line. Where there are any, ``value`` lacks what could not be read.
    refused : set of str
        Top-level keys with a problem.
    """

    value: Any = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    def refuse(self, path: KeyPath, line: int, what: str) -> None:
        """Note what is wrong with the value at a path."""
        self.problems.append(Problem(what, line=line))
        self.refused.update(str(key) for key in path[:1])


def read_yaml(text: str) -> Document:
    """Read one YAML document; never raises for faults of the text, but lists them in ``problems``."""
    document = Document()
    try:
        root = _Loader(text).get_single_node()
        if root is None:
            document.problems.append(Problem("is empty; expected lines such as `seed: 1`"))
        else:
            document.value = _construct(root, (), document)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        document.problems.append(Problem(f"not valid YAML: {what}", line=mark.line + 1 if mark else 0))
    except RecursionError:
        document.problems.append(Problem("is nested too deeply"))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        document.problems.append(Problem(f"not valid YAML: {error.reason}", line=line))
    return document


def read_scalar(text: str) -> Any:
    """A plain scalar by the YAML 1.2 core schema: ``1e-5`` is a float, ``no`` is text, ``012`` is twelve."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


class _Loader(yaml.SafeLoader):
    """Composes nodes whose tag only says how a scalar was written; refuses aliases, anchors and tags."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _QUOTED
        return "sequence" if kind is yaml.SequenceNode else "mapping"

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise yaml.composer.ComposerError(
                None,
                None,
                "anchors and aliases (& and *) are not read here: write the value out, or quote the text",
                event.start_mark,
            )
        if getattr(event, "tag", None) is not None:
            raise yaml.composer.ComposerError(
                None,
                None,
                "tags (!) are not read here: write a plain value, or quote the text",
                event.start_mark,
            )
        return super().compose_node(parent, index)


def _construct(node: yaml.Node, path: KeyPath, document: Document) -> Any:
    document.lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        return [_construct(inner, (*path, index), document) for index, inner in enumerate(node.value)]
    assert isinstance(node, yaml.ScalarNode)
    return _scalar(node, path, _named(path), document)


def _mapping(node: yaml.MappingNode, path: KeyPath, document: Document) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        key = _scalar(key_node, path, "key", document) if isinstance(key_node, yaml.ScalarNode) else None
        if not isinstance(key, str):
            shown = key_node.value if isinstance(key_node, yaml.ScalarNode) else f"that is a {key_node.tag}"
            document.refuse(path, line, f"the key {shown} is not text; quote it")
        elif key in values:
            first = document.lines[(*path, key)]
            document.refuse(path, line, f"repeated key {_named((*path, key))}, first in line {first}")
        else:
            values[key] = _construct(value_node, (*path, key), document)
            document.lines[(*path, key)] = line
    return values


def _scalar(node: yaml.ScalarNode, path: KeyPath, name: str, document: Document) -> Any:
    if node.tag == _QUOTED or (path and is_secret_name(str(path[-1]))):
        return node.value
    value, other = read_scalar(node.value), _read_yaml_1_1(node.value)
    if _differ(value, other) and not (isinstance(value, float) and isinstance(other, str)):
        shown = f"{name}: {node.value}" if name else node.value
        document.refuse(path, node.start_mark.line + 1, f"`{shown}` {_remedy(node.value, other)}")
    return value


def _remedy(text: str, other: Any) -> str:
    quoted = f'write "{text}" in quotes for the text'
    if isinstance(other, bool):
        return f"is {str(other).lower()} to YAML 1.1 readers; {quoted}, or true or false"
    if re.fullmatch(r"[-+]?0[0-9]+", text):
        return f"has a leading zero, which readers take in two ways; write {int(text)}, or {quoted}"
    if isinstance(other, int | float):
        return f"is {other} to YAML 1.1 readers; {quoted}, or a plain number"
    return f"is read in different ways by YAML 1.1 and 1.2; {quoted}"


def _read_yaml_1_1(text: str) -> Any:
    loader = yaml.SafeLoader("")
    tag = loader.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    try:
        return loader.construct_object(yaml.ScalarNode(tag, text))
    except (ValueError, yaml.constructor.ConstructorError):
        return _UNREADABLE


def _differ(value: Any, other: Any) -> bool:
    return type(value) is not type(other) or repr(value) != repr(other)


def _named(path: KeyPath) -> str:
    return ".".join(str(part) for part in path)
