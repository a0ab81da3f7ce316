"""The sub-agents' model of a run: served where the params name a server, else a desk model in this process."""

from __future__ import annotations

from masrepro.lab.params import Params
from masrepro.lab.problem import BadInput
from masrepro.models.desk import load_desk_model
from masrepro.models.model import Model
from masrepro.models.servers import served, why_not


def load_backbone(params: Params) -> Model:
    """The model that the params name.

    Raises
    ------
    BadInput
        The params' server is not there, does not serve the model, or its key is missing.
    FileNotFoundError
        No such desk model comes with the package.
    """
    return load_desk_model(params.model) if params.server is None else load_served(params)


def load_served(params: Params) -> Model:
    """The model on the params' server, at the price that is known for it there. Raises BadInput as `load_backbone`."""
    assert params.server is not None, "these params name no server"
    require_server(params)
    price = params.price_of(params.model, params.server.base_url)
    return served(params.server, params.model, price)


def require_server(params: Params) -> None:
    """Ask the params' server, if they name one, for its models. Raises BadInput where nothing could be run with it."""
    reason = None if params.server is None else why_not(params.server, params.model)
    if reason:
        raise BadInput.of(f"server: {reason}")
