"""From files, command line and notebook variables to validated params.

Layers, later ones over earlier ones: the schema's defaults; ``params/PROFILE/NAME.yaml``; a file given with
``-f``; values given with ``-p``, or the variables that papermill or the user set in a notebook. Every problem
of every layer is reported at once, with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from masrepro.lab.home import Home
from masrepro.lab.params import PROFILES, SCHEMAS, Params
from masrepro.lab.problem import BadInput, Problem, did_you_mean
from masrepro.lab.redaction import is_secret_name, secret_paths
from masrepro.lab.strict_yaml import KeyPath, read_scalar, read_yaml

_SECRET = "holds a secret; params never do: put it into an environment variable such as OPENAI_API_KEY"


@dataclass
class Layer:
    """Values from one place, with what is wrong there already."""

    place: str
    values: dict[str, Any] = field(default_factory=dict)
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    def problem(self, what: str, path: KeyPath = ()) -> Problem:
        """Something wrong with the value at a path."""
        while path and path not in self.lines:
            path = path[:-1]
        return Problem(what, self.place, self.lines[path] if path else 0)


def resolve(
    name: str,
    *,
    home: Home,
    profile: str | None = None,
    file: Path | None = None,
    options: Sequence[tuple[str, str]] = (),
    variables: Mapping[str, Any] | None = None,
) -> Params:
    """The validated params of one notebook.

    Parameters
    ----------
    name : str
        Notebook name, a key of `SCHEMAS`.
    profile : str or None
        Params folder; None takes it from the file or the variables, else ``desk``.
    file : Path or None
        A YAML file laid over the profile's own.
    options : sequence of (key, text)
        ``-p`` pairs; keys may be dotted, texts are YAML.
    variables : mapping or None
        A notebook's variables (`variables.parameters`).

    Raises
    ------
    BadInput
        Lists everything that is wrong.
    """
    schema = schema_of(name)
    upper = [] if file is None else [read_layer(file, home)]
    upper += [_option_layer(key, text) for key, text in options]
    upper += [_variable_layer(key, value, schema) for key, value in (variables or {}).items()]
    naming = next((layer for layer in upper if isinstance(layer.values.get("profile"), str)), Layer("--profile"))
    chosen = profile or str(naming.values.get("profile", "desk"))
    if chosen not in PROFILES:
        place = Layer("--profile") if profile else naming
        raise BadInput([place.problem(f"no profile {chosen}{did_you_mean(chosen, PROFILES)}", ("profile",))])
    own = read_layer(home.params_file(name, chosen), home)
    return _validate(schema, [own, *upper], chosen)


def schema_of(name: str) -> type[Params]:
    """The schema of a notebook. Raises BadInput with the nearest name for an unknown one."""
    if name not in SCHEMAS:
        raise BadInput.of(f"no notebook {name}{did_you_mean(name, list(SCHEMAS))}")
    return SCHEMAS[name]


def read_layer(path: Path, home: Home) -> Layer:
    """A params file as a layer, problems and all."""
    layer = Layer(home.short(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        there = ", ".join(sorted(other.name for other in path.parent.glob("*.yaml"))) or "no params files"
        reason = (error.strerror or "cannot be read").lower()
        layer.problems.append(layer.problem(f"{reason}; {home.short(path.parent)} has {there}"))
        return layer
    except UnicodeDecodeError:
        layer.problems.append(layer.problem("is not UTF-8 text"))
        return layer
    document = read_yaml(text)
    layer.problems += [replace(problem, place=layer.place) for problem in document.problems]
    if isinstance(document.value, dict):
        layer.values, layer.lines, layer.refused = document.value, document.lines, document.refused
    elif not document.problems:
        kind = "a list" if isinstance(document.value, list) else "a single value"
        layer.problems.append(layer.problem(f"is {kind}; expected lines such as `seed: 1`"))
    return layer


def _option_layer(key: str, text: str) -> Layer:
    layer = Layer(f"-p {key}")
    if is_secret_name(key):
        layer.values[key] = text
        return layer
    document = read_yaml(text)
    if not text.strip():
        layer.problems.append(layer.problem("has no value"))
    else:
        layer.problems += [layer.problem(problem.what) for problem in document.problems]
    if layer.problems:
        layer.refused.add(key.split(".")[0])
    else:
        layer.values[key] = document.value
    return layer


def _variable_layer(key: str, value: Any, schema: type[Params]) -> Layer:
    # papermill reads YAML 1.1, to which 1e-5 is text.
    if isinstance(value, str) and key in schema.model_fields and _is_number(schema.model_fields[key].annotation):
        number = read_scalar(value)
        value = float(number) if isinstance(number, int | float) and not isinstance(number, bool) else value
    return Layer(f"variable {key}", {key: value})


def _is_number(annotation: Any) -> bool:
    return annotation is float or float in get_args(annotation)


def _validate(schema: type[Params], layers: Sequence[Layer], profile: str) -> Params:
    problems = [problem for layer in layers for problem in layer.problems]
    merged: dict[str, Any] = {}
    origin: dict[str, Layer] = {}
    for layer in layers:
        secrets = list(secret_paths(layer.values))
        problems += [layer.problem(f"{_named(path[:1])} {_SECRET}", path) for path in secrets]
        banned = {path[0] for path in secrets}
        for key, value in layer.values.items():
            if key not in banned:
                top = _lay(merged, key, value)
                origin.pop(top, None)  # so that the fields are in the order in which they were last set
                origin[top] = layer
        if layer.values.get("profile", profile) != profile:
            what = f"profile is {layer.values['profile']}, but the run is for {profile}; use --profile"
            problems.append(layer.problem(what, ("profile",)))
    merged["profile"] = profile
    refused = {key for layer in layers for key in layer.refused}
    try:
        params = schema.model_validate(_frozen(merged))
    except ValidationError as error:
        details = [detail for detail in _root_causes(error) if refused.isdisjoint(map(str, detail["loc"][:1]))]
        problems += [_problem(schema, detail, origin, layers[0]) for detail in details]
    if problems:
        places = [layer.place for layer in layers]
        raise BadInput(sorted(problems, key=lambda problem: (places.index(problem.place), problem.line)))
    return params


def _root_causes(error: ValidationError) -> list[Any]:
    """Pydantic's details without those that only follow from one deeper inside the same value."""
    details: list[Any] = list(error.errors())
    inner = {detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))}
    return [detail for detail in details if detail["loc"] not in inner]


def _lay(merged: dict[str, Any], key: str, value: Any) -> str:
    """Set a value by its dotted key; returns the top-level key."""
    *outer, last = key.split(".")
    target = merged
    for part in outer:
        inner = target.get(part)
        target[part] = dict(inner) if isinstance(inner, Mapping) else {}
        target = target[part]
    target[last] = value
    return key.split(".")[0]


def _problem(schema: type[Params], detail: Any, origin: dict[str, Layer], base: Layer) -> Problem:
    path: KeyPath = tuple(part for part in detail["loc"] if part != "[key]")
    if not path:
        # Of the fields that it names, the one that was set last is the likeliest mistake.
        named = set(re.findall(r"\w+", detail["msg"]))
        key = next((key for key in reversed(origin) if key in named), None)
        layer, place = (base, ()) if key is None else (origin[key], (key,))
        return layer.problem(_lower(detail["msg"]), place)
    if detail["type"] == "missing":
        what = f"{_named(path)} is missing"
    elif detail["type"] == "extra_forbidden":
        what = f"unknown key {_named(path)}{did_you_mean(str(path[-1]), _fields(schema, path[:-1]))}"
    elif detail["loc"][-1] == "[key]":
        what = f"unknown key {_named(path)}{did_you_mean(str(path[-1]), _words(detail))}"
    else:
        what = f"{_named(path)} is {_shown(detail['input'])}: {_lower(detail['msg'])}{_hint(detail)}"
    return origin.get(str(path[0]), base).problem(what, path)


def _fields(schema: type[BaseModel], path: KeyPath) -> list[str]:
    """Names that are known below a path into a schema and those within it."""
    for part in path:
        if part in schema.model_fields:  # else it is a key of a mapping, whose values' schema has been found
            annotation = schema.model_fields[str(part)].annotation
            inner = (annotation, *get_args(annotation))
            schema = next(kind for kind in inner if isinstance(kind, type) and issubclass(kind, BaseModel))
    return list(schema.model_fields)


def _hint(detail: Any) -> str:
    value, kind = detail["input"], detail["type"]
    if isinstance(value, bool) and kind in ("string_type", "literal_error"):
        return "; YAML 1.1 readers turn a plain no, off, yes or on into this: put the text in quotes"
    if isinstance(value, str) and kind in ("int_type", "float_type"):
        return "; leave out the quotes" if isinstance(read_scalar(value), int | float) else ""
    if isinstance(value, str) and kind == "literal_error":
        return did_you_mean(value, _words(detail))
    return ""


def _words(detail: Any) -> list[str]:
    expected = str(detail.get("ctx", {}).get("expected", ""))
    return [word.strip().strip("'") for word in expected.replace(" or ", ",").split(",") if word.strip()]


def _frozen(value: Any) -> Any:
    """Lists as tuples, at every depth: the schemas are strict and frozen."""
    if isinstance(value, Mapping):
        return {key: _frozen(inner) for key, inner in value.items()}
    return tuple(_frozen(inner) for inner in value) if isinstance(value, list | tuple) else value


def _named(path: Iterable[str | int]) -> str:
    return ".".join(str(part) for part in path)


def _shown(value: Any) -> str:
    text = repr(list(value)) if isinstance(value, tuple) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _lower(message: str) -> str:
    message = message.removeprefix("Value error, ").removeprefix("Input ")
    return (message[:1].lower() + message[1:]).replace("tuple", "list").replace(" after validation, not 0", "")
