"""How an agent uses tools: a line ``Tool: name {"argument": "value"}`` asks, ``Result: ...`` answers.

Small models have no native tool calls, but any model can write a line; a back-end with native calls may be offered the
tools in that way instead. What a model asks for may be no JSON, name no tool or fail: all of that comes back to it as a
result, and the turns are bounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from masrepro.agents.agent import Call, SamplingChange
from masrepro.agents.draws import at_once
from masrepro.models.model import Completion, Message, ToolSignature
from masrepro.tools.tool import Tool, ToolFailure, ToolResult

RESULT = "Result:"
ENOUGH = "No tool may be used any more: answer now."
MOST_REQUESTS = 5  # in one turn

_ANSWER = re.compile(r"^Answer:", re.MULTILINE)
_REQUEST = re.compile(r"^[ \t]*Tool:[ \t]*([\w.-]+)[ \t]*:?\s*", re.MULTILINE)
_DECODER = json.JSONDecoder(strict=False)  # code in an argument often holds line breaks as they are


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A use that a model has asked for.

    Parameters
    ----------
    tool : str
        The tool's name, as the model has it.
    arguments : mapping or None
        None where what it wrote is no JSON object.
    end : int
        Where the request ends in the reply's text.
    call_id : str or None
        Id of a native call; None for one that was written.
    """

    tool: str
    arguments: Mapping[str, Any] | None
    end: int = 0
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """Messages that offer tools, and what else the call needs for it."""

    messages: tuple[Message, ...]
    change: SamplingChange


async def converse(
    messages: Sequence[Message],
    call: Call,
    tools: Mapping[str, Tool],
    *,
    turns: int,
    result_chars: int,
    native: bool,
    change: SamplingChange,
) -> Completion:
    """The reply to messages, once the model asks for no more tools.

    Parameters
    ----------
    messages : sequence of Message
        The system turn and the user turn.
    call : Call
        Called once without tools, and with them at most ``turns + 1`` times.
    tools : mapping of str to Tool
        By the name that the model writes.
    turns : int
        Replies that may ask for tools. After them the model is told to answer.
    result_chars : int
        Characters of each result that the model is shown.
    native : bool
        Offer the tools as native calls; see `offered`.
    change : SamplingChange
        For all calls.
    """
    if not tools or not turns:
        return await call(messages, **change)
    offer = offered(messages, tools, call, native)
    conversation = offer.messages
    change = {**change, **offer.change}
    for left in reversed(range(turns)):
        completion = await call(conversation, **change)
        requests = requested(completion)
        if not requests:
            return completion
        results = await used(requests, tools)
        told = [shown(result, result_chars) for result in results]
        conversation = (*conversation, *_exchange(completion, requests, told, None if left else ENOUGH))
    return await call(conversation, **change)


def offered(messages: Sequence[Message], tools: Mapping[str, Tool], call: Call, native: bool) -> Offer:
    """Messages that tell the model of tools.

    Parameters
    ----------
    messages : sequence of Message
        The first is the system turn.
    tools : mapping of str to Tool
        By name.
    call : Call
        Whose stop strings are kept.
    native : bool
        Hand the tools to the back-end, which must have native calls; otherwise describe them in the system turn, and
        let the reply end before a result that the model would make up.
    """
    if native:
        signatures = tuple(ToolSignature(name, tool.description, tool.parameters) for name, tool in tools.items())
        return Offer(tuple(messages), SamplingChange(tools=signatures))
    lines = (f"- {form(name, tool)}\n  {tool.description}{_arguments_told(tool)}" for name, tool in tools.items())
    told = (
        "You may use tools before you answer. Write a line of the form below and stop there; what the tool gives comes "
        f"in the next turn behind `{RESULT}`.\n" + "\n".join(lines)
    )
    system, *others = messages
    described = replace(system, content=f"{system.content}\n\n{told}")
    return Offer((described, *others), SamplingChange(stop=(*call.sampling.stop, f"\n{RESULT}")))


def requested(completion: Completion, most: int = MOST_REQUESTS) -> tuple[ToolRequest, ...]:
    """The first tools that a reply asks for, by native calls or in its text, where none stands behind ``Answer:``."""
    if completion.tool_calls:
        asked = completion.tool_calls[:most]
        return tuple(ToolRequest(one.name, _object(one.arguments, 0)[0], call_id=one.id) for one in asked)
    text = completion.text
    answer = _ANSWER.search(text)
    requests: list[ToolRequest] = []
    for line in _REQUEST.finditer(text, 0, answer.start() if answer else len(text)):
        if requests and line.start() < requests[-1].end:
            continue  # inside the arguments of the one before
        requests.append(ToolRequest(line[1], *_object(text, line.end())))
    return tuple(requests[:most])


async def used(requests: Sequence[ToolRequest], tools: Mapping[str, Tool]) -> tuple[ToolResult, ...]:
    """The results of these requests, used at once, in the order in which they were asked for."""
    return await at_once(use(request, tools) for request in requests)


async def use(request: ToolRequest, tools: Mapping[str, Tool]) -> ToolResult:
    """The result of one request; one that cannot be carried out is a failure as well."""
    tool = tools.get(request.tool)
    if tool is None:
        failure = ToolFailure("not_found", f"there is no tool {request.tool!r}; there are: {', '.join(tools)}")
        return ToolResult(request.tool, "", failure)
    if request.arguments is None:
        failure = ToolFailure("bad_arguments", f"the arguments are no JSON object; write {form(request.tool, tool)}")
        return ToolResult(request.tool, "", failure)
    return await tool.use(request.arguments)


def shown(result: ToolResult, chars: int) -> str:
    """A result as the model reads it."""
    if result.failure is not None:
        return f"{result.tool} failed ({result.failure.kind}): {result.failure.message}"
    cut = "" if len(result.text) <= chars else f"... (cut at {chars} of {len(result.text)} characters)"
    return result.text[:chars] + cut


def form(name: str, tool: Tool) -> str:
    """A request as it is to be written, with the required arguments."""
    properties = tool.parameters["properties"]
    example = {argument: _example(properties[argument]) for argument in tool.parameters.get("required", ())}
    return f"Tool: {name} {json.dumps(example)}"


def _exchange(
    completion: Completion, requests: Sequence[ToolRequest], told: Sequence[str], last: str | None
) -> tuple[Message, ...]:
    """The turns that follow a reply with requests: the reply itself, and what the tools told."""
    if completion.tool_calls:
        asked = Message("assistant", completion.text, tool_calls=completion.tool_calls[: len(requests)])
        results = (
            Message("tool", text, tool_call_id=request.call_id) for request, text in zip(requests, told, strict=True)
        )
        return (asked, *results, *((Message("user", last),) if last else ()))
    lines = "\n".join(f"{RESULT} {text}" for text in told)
    return (
        Message("assistant", completion.text[: requests[-1].end]),
        Message("user", f"{lines}\n\n{last}" if last else lines),
    )


def _object(text: str, start: int) -> tuple[Mapping[str, Any] | None, int]:
    """The JSON object that begins here, and where it ends; None, and the end of the line, where none does."""
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, line_end
    return (value, end) if isinstance(value, dict) else (None, line_end)


def _arguments_told(tool: Tool) -> str:
    told = [f"{name}: {about['description']}" for name, about in tool.parameters["properties"].items()]
    return f" ({'; '.join(told)})" if told else ""


def _example(about: Mapping[str, Any]) -> Any:
    return {"string": "...", "integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}[about["type"]]
