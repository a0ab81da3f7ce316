"""Language models: the interface, a local engine, a client for OpenAI-compatible servers, a cache of replies, prices.

Importing this package stays light: `Local`, `OpenAICompatible` and `Cached` bring in their libraries when first asked
for.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from masrepro.models.model import (
    FREE,
    Completion,
    ContextOverflow,
    Finish,
    MalformedReply,
    Message,
    Model,
    ModelError,
    Pool,
    Price,
    RateLimited,
    RequestRefused,
    Sampling,
    ToolCall,
    ToolSignature,
    Unavailable,
    Usage,
)

if TYPE_CHECKING:
    from masrepro.models.cache import Cached
    from masrepro.models.local import Local
    from masrepro.models.openai_compatible import OpenAICompatible

# Torch's OpenMP threads wait for each other in busy loops by default. Where anything else wants the same cores, a small
# model then slows down ten to a hundred times. OpenMP reads these once, when torch is imported, so they are set here,
# ahead of `local`; what the user has set wins.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "0")

__all__ = [
    "FREE",
    "Cached",
    "Completion",
    "ContextOverflow",
    "Finish",
    "Local",
    "MalformedReply",
    "Message",
    "Model",
    "ModelError",
    "OpenAICompatible",
    "Pool",
    "Price",
    "RateLimited",
    "RequestRefused",
    "Sampling",
    "ToolCall",
    "ToolSignature",
    "Unavailable",
    "Usage",
]


def __getattr__(name: str) -> Any:
    if name == "Local":
        from masrepro.models.local import Local

        return Local
    if name == "Cached":
        from masrepro.models.cache import Cached

        return Cached
    if name == "OpenAICompatible":
        from masrepro.models.openai_compatible import OpenAICompatible

        return OpenAICompatible
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
