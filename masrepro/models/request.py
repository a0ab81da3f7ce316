"""What is sent to an OpenAI-compatible server for messages and sampling, and how many tokens that is. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from masrepro.models.model import Message, Sampling, ToolSignature

_FRAME_TOKENS = 4
_MOST_FRAME_TOKENS = 32
_MOST_TEMPLATE_TOKENS = 128


def request_body(
    model: str, messages: Sequence[Message], sampling: Sampling, *, max_tokens_field: str = "max_tokens", n: int = 1
) -> dict[str, Any]:
    """Fields of a chat-completions request; what is not set is left out, for the server to decide.

    ``sampling.repeat`` is not sent: it tells equal requests apart, not their replies.
    """
    optional = {
        "stop": list(sampling.stop) or None,
        "seed": sampling.seed,
        "tools": [_tool(tool) for tool in sampling.tools] or None,
        "n": n if n > 1 else None,
    }
    return {
        "model": model,
        "messages": [_message(message) for message in messages],
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        max_tokens_field: sampling.max_tokens,
        **{key: value for key, value in optional.items() if value is not None},
    }


def estimated_tokens(messages: Sequence[Message], tools: Sequence[ToolSignature] = ()) -> int:
    """A low estimate of a prompt's tokens: a quarter of its UTF-8 bytes, plus four for each message.

    English runs at about four bytes a token, code and digits at fewer. Being low, it refuses nothing that fits; what it
    lets through by mistake the server refuses, which is reported in the same way.
    """
    return sum(math.ceil(n_bytes / 4) + _FRAME_TOKENS for n_bytes in _sizes(messages, tools))


def most_tokens(messages: Sequence[Message], tools: Sequence[ToolSignature] = ()) -> int:
    """An upper bound on a prompt's tokens: a token for every byte, and room for what a chat template adds.

    A byte-level tokenizer cannot need more. For bounds on cost; real text comes to about a quarter of it.
    """
    return _MOST_TEMPLATE_TOKENS + sum(n_bytes + _MOST_FRAME_TOKENS for n_bytes in _sizes(messages, tools))


def _sizes(messages: Sequence[Message], tools: Sequence[ToolSignature]) -> list[int]:
    """Bytes of each message, the tool calls in it included, and of each tool's signature."""
    texts = ["".join((m.content, *(call.name + call.arguments for call in m.tool_calls))) for m in messages]
    return [len(text.encode("utf-8", "surrogatepass")) for text in (*texts, *(json.dumps(_tool(t)) for t in tools))]


def _message(message: Message) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        turn["content"] = message.content or None
        turn["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        turn["tool_call_id"] = message.tool_call_id
    return turn


def _tool(tool: ToolSignature) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}
