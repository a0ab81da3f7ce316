"""The orchestrator that params name, and the systems that it writes for items: one door for all that can write.

It may be a desk model, a folder, a hub id, any of these with an adapter of a training over it, or a server's model;
trained or not; instructed to write at once, or thinking first, which the parser leaves aside. Not here: its training
(`train_command`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from masrepro.bench import Item
from masrepro.lab.problem import BadInput
from masrepro.models.desk import WEIGHTS, shipped, shipped_adapters
from masrepro.models.model import Model, Price, Sampling, Usage
from masrepro.models.servers import Server, served, why_not
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.train.training_folder import SETTINGS

if TYPE_CHECKING:
    from masrepro.lab.notebook import Run
    from masrepro.meta.orchestrator import Written


_NAMES_TOLD = 5


def known_adapter(adapter: str) -> str:
    """The name of an adapter, as params check it; a folder is looked for where the run is.

    Raises
    ------
    ValueError
        It is no folder's path, and no adapter that comes with the package.
    """
    is_name = Path(adapter).name == adapter
    if adapter and is_name and not (WEIGHTS / adapter).is_dir() and not Path(adapter).is_dir():
        raise ValueError(f"should be the model/ of a training, or one that comes with masrepro: {_names_like(adapter)}")
    return adapter


def trained_role(adapter: str) -> str:
    """Which of MAS²'s meta-agents an adapter was trained to be; empty where nothing beside it says so."""
    told = _place(adapter) / SETTINGS
    return str(json.loads(told.read_text(encoding="utf-8")).get("role", "")) if adapter and told.is_file() else ""


def _place(adapter: str) -> Path:
    return WEIGHTS / adapter if (WEIGHTS / adapter).is_dir() else Path(adapter)


def _names_like(adapter: str) -> str:
    """A few shipped adapters, the nearest to a misspelt name first, and how many there are besides."""
    names = [folder.name for folder in shipped_adapters()]
    told = [*get_close_matches(adapter, names, _NAMES_TOLD, 0.7), *names]
    some = list(dict.fromkeys(told))[:_NAMES_TOLD]
    return ", ".join(some) + (f" and {len(names) - len(some)} more" if len(names) > len(some) else "")


class Orchestrator(BaseModel):
    """An orchestrator as params describe it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, protected_namespaces=())

    model: str = Field(min_length=1, description="a desk model, a folder, a hub id, or the model's name at the server")
    adapter: str = Field(
        default="", description="the model/ of a training, or a shipped adapter; empty: the model as it is"
    )
    server: Server | None = Field(default=None, description="where the model is served; null: it runs in this process")
    device: Literal["cpu", "cuda"] = Field(default="cpu", description="where it runs in this process")
    dtype: Literal["float64", "float32", "bfloat16"] = Field(
        default="float64",
        description="of its weights there; in float64 a desk model's text does not depend on its batch",
    )

    @field_validator("model")
    @classmethod
    def _known(cls, name: str) -> str:
        if name.startswith("desk-") and name not in shipped():
            raise ValueError(f"should be a folder, a hub id, or one of the desk models here: {', '.join(shipped())}")
        return name

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.server is not None and self.adapter:
            raise ValueError("adapter is laid over a model that runs here: leave server out, or serve both as one")
        return self

    _known_adapter = field_validator("adapter")(known_adapter)


def adapter_folder(adapter: str) -> Path:
    """Where an adapter lies: a shipped one by its name, else the folder.

    Raises
    ------
    FileNotFoundError
        There is none.
    """
    found = _place(adapter)
    if not any(found.glob("*.safetensors")):
        raise FileNotFoundError(
            f"no adapter {adapter!r}: name the model/ of a training, or one that comes with masrepro "
            f"({_names_like(adapter)}), or leave it empty"
        )
    return found


def load_writer(orchestrator: Orchestrator, *, name: str = "orchestrator", price: Price | None = None) -> Model:
    """The model that writes.

    Parameters
    ----------
    name : str
        By which a run's record knows it; at a server it goes by its own.
    price : Price or None
        At the server; None: unknown.

    Raises
    ------
    BadInput
        The server is not there, does not serve the model, or its key is missing; or there is no such adapter.
    """
    if orchestrator.server is not None:
        reason = why_not(orchestrator.server, orchestrator.model)
        if reason:
            raise BadInput.of(f"orchestrator.server: {reason}")
        return served(orchestrator.server, orchestrator.model, price)
    from masrepro.train.trained import load_orchestrator

    try:
        trained = adapter_folder(orchestrator.adapter) if orchestrator.adapter else None
    except FileNotFoundError as error:
        raise BadInput.of(str(error)) from error
    return load_orchestrator(
        orchestrator.model, trained, name=name, dtype=orchestrator.dtype, device=orchestrator.device
    )


def catalogue_with(workflows: Sequence[str], tools: Sequence[str] = ()) -> Catalogue:
    """The standard catalogue, cut down to some workflows and tools."""
    return Catalogue(
        tuple(workflow for workflow in STANDARD.workflows if workflow.name in workflows),
        tuple(tool for tool in STANDARD.tools if tool.name in tools),
    )


@dataclass(frozen=True, slots=True)
class Writing:
    """Systems that an orchestrator wrote, and what that took.

    Parameters
    ----------
    system : Written
        To be evaluated.
    model : str
        The orchestrator's name on the run's record.
    usage : mapping of str to Usage
        Of the orchestrator alone, by item id.
    seconds : float
        Until all were written; all were asked at once.
    """

    system: Written
    model: str
    usage: Mapping[str, Usage]
    seconds: float


async def write(
    run: Run,
    model: Model,
    items: Sequence[Item],
    *,
    name: str,
    dom: DoM,
    catalogue: Catalogue,
    sampling: Sampling,
) -> Writing:
    """Have a system written for every item, with the run's cache and cost limit; the spend goes on its record.

    Parameters
    ----------
    name : str
        Under which the systems are evaluated.
    sampling : Sampling
        Its seed tells draws apart.

    Raises
    ------
    ModelError
        The model could not be asked.
    """
    from masrepro.meta.orchestrator import Written, write_systems

    began = time.monotonic()
    (writer,) = run.models(model).values()
    texts = await write_systems(writer, items, sampling=sampling, dom=dom, catalogue=catalogue)
    seconds = time.monotonic() - began
    run.spend(sum((text.usage for text in texts), Usage()), models=model)
    by_item = {item.id: text for item, text in zip(items, texts, strict=True)}
    written = Written(
        name,
        {key: text.text for key, text in by_item.items()},
        dom,
        catalogue,
        cut_off=frozenset(key for key, text in by_item.items() if text.finish == "length"),
    )
    return Writing(written, model.name, {key: text.usage for key, text in by_item.items()}, seconds)
