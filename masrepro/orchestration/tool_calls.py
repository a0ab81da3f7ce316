"""The ``tool_calls`` notation: a JSON list of OpenAI tool calls, as models write that call functions
natively.

Each item is ``{"type": "function", "function": {"name": ..., "arguments": ...}}``; the arguments are an
object, or one as JSON text. An item may carry an id, which means nothing here.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from masrepro.orchestration.body import Body
from masrepro.orchestration.draft import Draft
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.orchestration.signature import PRIMITIVES, Primitive

_SHAPE = '{"type": "function", "function": {"name": "create_agent", "arguments": {...}}}'


def read(body: Body) -> Draft[int]:
    """Read a list of tool calls.

    Raises
    ------
    OrchestrationError
        The text is no such list, or a call is not one of the primitives with arguments of the right type.
    """
    items = _json(body.text, body)
    if not isinstance(items, list):
        raise body.error("not-a-list", "the text is no JSON list", 0, f"Write a list of tool calls: [{_SHAPE}, ...]")
    draft: Draft[int] = Draft("call {}".format)
    for number, item in enumerate(items, start=1):
        primitive, arguments = _call(item, number, body)

        def where(argument: str | None, number: int = number) -> str:
            return f"call {number}, argument {argument!r}" if argument is not None else f"call {number}"

        draft.add(primitive.bind(arguments, where), number)
    return draft


def write(plan: Orchestration) -> str:
    """The plan as a JSON list, with the arguments as JSON text, as the API has them."""
    calls: list[tuple[str, dict[str, Any]]]
    if plan.answer is not None:
        calls = [("answer", {"text": plan.answer})]
    else:
        calls = [("create_agent", _agent_arguments(agent)) for agent in plan.agents]
        calls += [("create_flow", _flow_arguments(flow)) for flow in plan.flows]
    return json.dumps(
        [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
            }
            for number, (name, arguments) in enumerate(calls, start=1)
        ],
        ensure_ascii=False,
    )


def _call(item: object, number: int, body: Body) -> tuple[Primitive, dict[str, object]]:
    place = f"call {number}"
    function = item.get("function") if isinstance(item, dict) and item.get("type", "function") == "function" else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise OrchestrationError("not-a-call", "this is no tool call", place, f"Write {_SHAPE}")
    name = function["name"]
    if name not in PRIMITIVES:
        hint = f"Call one of {', '.join(PRIMITIVES)}."
        raise OrchestrationError("unknown-call", f"there is no function {name!r}", place, hint)
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        arguments = _json(arguments, body, place)
    if not isinstance(arguments, dict):
        hint = f"Give the arguments by name, as in {PRIMITIVES[name].example()}."
        raise OrchestrationError("not-arguments", "the arguments are no JSON object", place, hint)
    return PRIMITIVES[name], arguments


def _json(text: str, body: Body, place: str = "") -> Any:
    """Decode, without repeated keys. `place` is the call whose arguments these are, if they are."""

    def fail(rule: str, what: str, offset: int, hint: str) -> NoReturn:
        inside = f"{place}, character {offset + 1} of its arguments" if offset else place
        raise OrchestrationError(rule, what, inside if place else body.place(offset), hint) from None

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
            fail("repeated-argument", f"the key {twice!r} comes twice in one object", 0, "Give each key once.")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        fail(
            "syntax",
            f"this is no JSON: {error.msg}",
            error.pos,
            "Write JSON: double quotes, no trailing comma.",
        )
    except RecursionError:
        fail("too-deep", "the JSON nests too deeply", 0, f"Write a flat list of tool calls: [{_SHAPE}, ...]")
    except ValueError as error:
        fail("syntax", f"this is no JSON: {error}", 0, "Write JSON: double quotes, no trailing comma.")


def _agent_arguments(agent: Agent) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "id": agent.id,
        "role": agent.role,
        "goal": agent.goal,
        "workflow": agent.workflow,
    }
    if agent.tools:
        arguments["tools"] = agent.tools
    if agent.roles:
        arguments["roles"] = agent.roles
    if agent.backbone is not None:
        arguments["backbone"] = agent.backbone
    return arguments


def _flow_arguments(flow: Flow) -> dict[str, Any]:
    payload = {"payload": flow.payload} if flow.payload else {}
    return {"source": flow.source, "target": flow.target, **payload}
