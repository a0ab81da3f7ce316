"""A served model as params describe it: where it is reached, what may be sent to it, and whether it is there.

Not here: how it is talked to (`openai_compatible`). Keys are named, never held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from masrepro.models.model import Price

if TYPE_CHECKING:
    from masrepro.models.openai_compatible import OpenAICompatible

_SHOWN = 8


class Server(BaseModel):
    """An OpenAI-compatible server and how it serves one model; ``server`` in params."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    base_url: str = Field(min_length=1, description="address, up to and including /v1")
    context_tokens: int = Field(ge=1, description="tokens; bound on prompt plus completion")
    api_key_env: str | None = Field(
        "OPENAI_API_KEY", description="environment variable that holds the key; null: none is asked for"
    )
    served_as: str | None = Field(None, description="the model's name at the server; null: as `model`")
    revision: str = Field("as served", description="what is known of the exact weights, for the record")
    sends_seed: bool = Field(True, description="false: never send a seed, which vLLM on a CPU does not survive")
    reasoning_effort: Literal["low", "medium", "high"] | None = Field(None, description="null: not sent")
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="the bound's name at the server; OpenAI's reasoning models know only the second"
    )
    timeout_s: float = Field(600.0, gt=0, description="seconds; longest wait for one reply")
    concurrency: int = Field(64, ge=1, description="requests in flight at once")


def served(server: Server, model: str, price: Price | None = None) -> OpenAICompatible:
    """The model behind the `Model` interface.

    Parameters
    ----------
    server : Server
    model : str
        The name under which a `Pool` and a run's record hold it.
    price : Price or None
        None: unknown.

    Raises
    ------
    ValueError
        The address or the key cannot be right.
    """
    from masrepro.models.openai_compatible import OpenAICompatible

    return OpenAICompatible(
        server.base_url,
        server.served_as or model,
        name=model,
        context_tokens=server.context_tokens,
        revision=server.revision,
        api_key_env=server.api_key_env,
        price=price,
        timeout_s=server.timeout_s,
        concurrency=server.concurrency,
        reasoning_effort=server.reasoning_effort,
        max_tokens_field=server.max_tokens_field,
        sends_seed=server.sends_seed,
    )


def why_not(server: Server, model: str, *, timeout_s: float = 10.0) -> str | None:
    """Why a server cannot be asked for a model, for people; None if nothing speaks against it.

    Reads the server's list of models, which costs nothing. A server that keeps no list is believed.
    """
    from masrepro.models.endpoint import Endpoint

    try:
        listed = Endpoint(server.base_url, server.api_key_env, timeout_s, concurrency=1).listed()
    except ValueError as error:
        return str(error)
    if isinstance(listed, str):
        return f"{server.base_url}: {listed}"
    wanted = server.served_as or model
    if not listed or wanted in listed:
        return None
    shown = ", ".join(sorted(listed)[:_SHOWN]) + (", ..." if len(listed) > _SHOWN else "")
    return f"{server.base_url} does not serve {wanted!r}; it has: {shown}. Set model, or server.served_as"
