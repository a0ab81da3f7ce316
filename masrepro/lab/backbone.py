"""The sub-agents' model of a run: served where the params name a server, else a desk model in this process."""

from __future__ import annotations

from masrepro.lab.params import Params
from masrepro.lab.problem import BadInput, Problem
from masrepro.models.desk import load_desk_model
from masrepro.models.model import Model
from masrepro.models.servers import served, why_not


def load_backbone(params: Params, model: str | None = None, *, dtype: str = "float64") -> Model:
    """The model that the params name, or another one at the same place; ``dtype`` is a desk model's.

    Raises
    ------
    BadInput
        The params' server is not there, does not serve the model, or its key is missing.
    FileNotFoundError
        No such desk model comes with the package.
    """
    if params.server is not None:
        return load_served(params, model)
    return load_desk_model(model or params.model, dtype=dtype)


def load_served(params: Params, model: str | None = None) -> Model:
    """The model on the params' server, at the price that is known for it there. Raises BadInput as `load_backbone`."""
    name = model or params.model
    assert params.server is not None, "these params name no server"
    require_server(params)
    return served(params.server, name, params.price_of(name, params.server.base_url))


def require_server(params: Params) -> None:
    """Ask each server that the params name for its models. Raises BadInput where nothing could be run with one."""
    reasons = [(one.field, why_not(one.server, one.model)) for one in params.served]
    refused = [Problem(f"{field}: {reason}") for field, reason in reasons if reason]
    if refused:
        raise BadInput(refused)
