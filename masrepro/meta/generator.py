"""A language model as generator (MAS², arXiv 2509.24323, section 3.1): from a question to a template.

A template is an orchestration without backbones, M_temp = <R, P, T>. The paper's generator writes a Python class; here
it writes one of the declarative notations, none of which is ever run as code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from masrepro.meta.orchestrator import orchestrator_messages
from masrepro.models.model import Completion, Message, Model, Sampling, ToolSignature
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.parse import parse
from masrepro.orchestration.plan import Agent, Flow, Notation, Orchestration

_EXAMPLE = Orchestration(
    (
        Agent("a1", "historian", "Find the year in which the bridge was opened."),
        Agent("a2", "writer", "Give the final answer, with the year ${a1}."),
    ),
    (Flow("a1", "a2", "the year"),),
)


@dataclass(frozen=True, slots=True)
class Generator:
    """A model that is asked for templates.

    Parameters
    ----------
    model : Model
    notation : str
        ``calls``, ``xml`` or ``tool_calls``; the last offers the primitives as native tools.
    dom, catalogue
        What is allowed, and what a template may draw on.
    """

    model: Model
    notation: Notation = "calls"
    dom: DoM = DoM.HIGH
    catalogue: Catalogue = STANDARD

    async def ask(self, question: str, sampling: Sampling) -> Completion:
        """What the model writes for a question.

        Raises
        ------
        ModelError
            It could not be asked.
        """
        if self.notation == "tool_calls":
            sampling = replace(sampling, tools=tuple(map(_signature, self.catalogue.tool_schemas(self.dom))))
        return await self.model.complete(self.messages(question), sampling)

    def messages(self, question: str) -> tuple[Message, Message]:
        """What it is told: as an orchestrator is, and how its own notation looks where that is another."""
        system, user = orchestrator_messages(question, self.dom, self.catalogue)
        if self.notation == "calls":
            return system, user
        example = _EXAMPLE.to(self.notation, dom=self.dom if self.dom != DoM.LOW else DoM.HIGH)
        how = f"Write all this not as calls but in the notation {self.notation}, as here:\n{example}"
        return Message("system", f"{system.content}\n\n{how}"), user

    def read(self, completion: Completion) -> Orchestration:
        """The template that was written.

        Raises
        ------
        OrchestrationError
            None was: a rule of `masrepro.parse` is broken, the text was cut off, or an agent has a backbone.
        """
        if completion.finish == "length":
            hint = "Write less, or allow more tokens."
            raise OrchestrationError("cut-off", "the template met its token limit", "its end", hint)
        template = parse(_text(completion), self.notation, self.dom, catalogue=self.catalogue)
        for index, agent in enumerate(template.agents):
            if agent.backbone is not None:
                raise OrchestrationError(
                    "not-a-template",
                    f"the backbone {agent.backbone!r} is assigned already",
                    f"agent {agent.id!r}",
                    "Leave backbone out: models are assigned to a template later.",
                    ("agent", index),
                )
        return template


def _signature(schema: dict[str, Any]) -> ToolSignature:
    function = schema["function"]
    return ToolSignature(function["name"], function["description"], function["parameters"])


def _text(completion: Completion) -> str:
    """The reply, with native tool calls in the form in which they are parsed."""
    if not completion.tool_calls:
        return completion.text
    called = ({"name": call.name, "arguments": call.arguments} for call in completion.tool_calls)
    return json.dumps([{"type": "function", "function": function} for function in called])
