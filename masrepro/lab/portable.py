"""What travels to other machines, and how: data and code by value, a model as what it is made from.

A model is made anew where it arrives, once a process, and kept there: a client from its address and settings, with the
key from that machine's environment, and a desk model from its name. Nothing that belongs to this machine travels: open
connections, response caches, accounts of what was spent.
"""

from __future__ import annotations

import io
import pickle
import threading
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from masrepro.lab.cost import CostLimit
from masrepro.models.breaker import Breaker
from masrepro.models.cache import Cached
from masrepro.models.desk import WEIGHTS, load_desk_model
from masrepro.models.endpoint import Endpoint
from masrepro.models.model import Model
from masrepro.models.openai_compatible import OpenAICompatible

_LOCK = type(threading.Lock())


class NotPortable(TypeError):
    """Something cannot be sent to other machines; says what, why, and what to do."""


def pack(work: Any) -> bytes:
    """The work as bytes, for `unpack` in another process.

    Raises
    ------
    NotPortable
        A part cannot travel; names the field, where the work is a dataclass.
    """
    try:
        return _dumps(work)
    except NotPortable:
        raise
    except Exception as error:
        part, reason = _culprit(work) or (type(work).__name__, error)
        raise NotPortable(f"{part} cannot be sent to other machines: {reason}; use executor: local") from error


def unpack(packed: bytes) -> Any:
    """What was packed, its models made or taken from those made before.

    Raises
    ------
    NotPortable
        A model's weights on this machine are others than where it was packed.
    ValueError, FileNotFoundError
        A model cannot be made here: no key in the environment, no such desk model.
    """
    return pickle.loads(packed)


def _dumps(value: Any, *, whole: Any = None) -> bytes:
    """Pickle; classes and functions of a notebook by value. ``whole`` is taken apart, though a model."""
    from ray.cloudpickle import CloudPickler

    class Pickler(CloudPickler):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            reduced = None if value is whole else _reduced(value)
            return super().reducer_override(value) if reduced is None else reduced

    buffer = io.BytesIO()
    Pickler(buffer).dump(value)
    return buffer.getvalue()


def _reduced(value: Any) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """How to make a thing anew; None: pickled in the ordinary way."""
    if isinstance(value, OpenAICompatible):
        return _client, (_dumps(value, whole=value),)
    if isinstance(value, Endpoint):
        return Endpoint, (value.base_url, value._api_key_env, value._timeout, value._concurrency)
    if isinstance(value, Breaker):
        return Breaker, (value._failures, value._first_pause_s, value._patience_s)
    if isinstance(value, _LOCK):
        return threading.Lock, ()
    if isinstance(value, Cached):
        raise NotPortable(
            f"replies of {value.name} are kept in a file of this machine, which others cannot write to: set cache: "
            "false, or executor: local"
        )
    if isinstance(value, CostLimit):
        raise NotPortable(
            "a model whose calls this run's cost limit admits one by one cannot be sent to other machines: give the "
            "model itself, so that the limit holds for whole samples, or use executor: local"
        )
    return _reduced_local(value) if type(value).__module__ == "masrepro.models.local" else None


def _reduced_local(model: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    if (WEIGHTS / model.name).is_dir() or (Path(model.name) / "model.safetensors").is_file():
        return _desk_model, (model.name, model.revision)
    raise NotPortable(
        f"{model.name} runs inside this process, and only desk models are loaded on other machines: serve it over HTTP "
        "(vllm serve, transformers serve) and give masrepro.models.OpenAICompatible, or use executor: local"
    )


@cache
def _client(packed: bytes) -> Model:
    client: Model = pickle.loads(packed)
    return client


@cache
def _desk_model(name: str, revision: str) -> Model:
    model = load_desk_model(name)
    if model.revision != revision:
        raise NotPortable(f"the weights of {name} are {model.revision} here, but {revision} where the run was started")
    return model


def _culprit(work: Any) -> tuple[str, Exception] | None:
    """The first field that does not pickle, and why."""
    for field in fields(work) if is_dataclass(work) else ():
        value = getattr(work, field.name)
        try:
            _dumps(value)
        except Exception as error:
            inner = _culprit(value)
            return (f"{field.name}.{inner[0]}", inner[1]) if inner else (field.name, error)
    return None
