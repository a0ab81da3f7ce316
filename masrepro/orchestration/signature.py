"""The primitives of the call notations: names, parameters and types, from which parsers and tool schemas both
follow.

``create_agent`` and ``create_flow`` are those of MAS-Orchestra (arXiv 2601.14652); ``answer`` writes the
direct answer that its degree of MAS LOW allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Agent, Flow

Where = Callable[[str | None], str]
"""The place of an argument, or of the whole call for None; asked for only when an error is written."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: a text, or a list of texts. One that is not required may also be None."""

    name: str
    kind: Literal["text", "texts"]
    required: bool
    description: str
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Primitive:
    """A call that an orchestration may hold, and what it builds."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    build: Callable[..., Any]
    by_name: Mapping[str, Parameter] = field(init=False)
    n_required: int = field(init=False)

    def __post_init__(self) -> None:
        names = {parameter.name: parameter for parameter in self.parameters}
        aliases = {parameter.alias: parameter for parameter in self.parameters if parameter.alias}
        object.__setattr__(self, "by_name", {**aliases, **names})
        object.__setattr__(self, "n_required", sum(parameter.required for parameter in self.parameters))

    def bind(self, arguments: Mapping[str, object], where: Where) -> Any:
        """Build what the call stands for: an agent, a flow, a text.

        Raises
        ------
        OrchestrationError
            An argument is unknown, given twice, missing or of the wrong type.
        """
        values: dict[str, Any] = {}
        n_required = 0
        for name, value in arguments.items():
            parameter = self.by_name.get(name)
            if parameter is None:
                raise self._unknown_argument(name, where)
            if parameter.name in values:
                raise self._repeated_argument(name, where)
            if type(value) is str and parameter.kind == "text":
                values[parameter.name] = value
            elif type(value) is list and parameter.kind == "texts" and all(type(item) is str for item in value):
                values[parameter.name] = tuple(value)
            elif value is not None or parameter.required:
                raise self._wrong_type(parameter, name, value, where)
            n_required += parameter.required
        if n_required < self.n_required:
            raise self._missing_argument(values, where)
        return self.build(**values)

    def example(self) -> str:
        """The call with its required arguments, as a hint shows it."""
        arguments = ", ".join(f'{parameter.name}="..."' for parameter in self.parameters if parameter.required)
        return f"{self.name}({arguments})"

    def _unknown_argument(self, name: str, where: Where) -> OrchestrationError:
        return OrchestrationError(
            "unknown-argument",
            f"{self.name} has no argument {name!r}",
            where(name),
            f"Its arguments are {', '.join(p.name for p in self.parameters)}.",
        )

    def _repeated_argument(self, name: str, where: Where) -> OrchestrationError:
        parameter = self.by_name[name]
        also = f" ({parameter.alias} is another name for {parameter.name})" if parameter.alias else ""
        return OrchestrationError(
            "repeated-argument",
            f"{self.name} has {name!r} twice{also}",
            where(name),
            "Give each argument once.",
        )

    def _missing_argument(self, values: Mapping[str, object], where: Where) -> OrchestrationError:
        missing = [p.name for p in self.parameters if p.required and p.name not in values]
        return OrchestrationError(
            "missing-argument",
            f"{self.name} lacks {' and '.join(missing)}",
            where(None),
            f"Write {self.example()}; a text may be empty.",
        )

    def _wrong_type(self, parameter: Parameter, name: str, value: object, where: Where) -> OrchestrationError:
        wanted = "a text in quotes" if parameter.kind == "text" else 'a list of texts, such as ["one", "two"]'
        return OrchestrationError(
            "wrong-type",
            f"{name} of {self.name} is {_described(value)}, not {wanted.split(',')[0]}",
            where(name),
            f"Give {name} as {wanted}.",
        )


def _described(value: object) -> str:
    if isinstance(value, list):
        odd = next((item for item in value if not isinstance(item, str)), None)
        return "a list" if odd is None else f"a list that holds {_described(odd)}"
    names = {str: "a text", bool: "true or false", int: "a number", float: "a number", dict: "an object"}
    return "nothing" if value is None else names.get(type(value), f"a value of type {type(value).__name__}")


def _answer(text: str) -> str:
    return text


PRIMITIVES: dict[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        Primitive(
            "create_agent",
            "Create a sub-agent that sees the original question, its goal and what flows in.",
            (
                Parameter("id", "text", True, "A name of its own: ASCII letters, digits and _."),
                Parameter("role", "text", True, "Who the agent is."),
                Parameter(
                    "goal",
                    "text",
                    True,
                    "What it is to find out; empty for the original question. ${a} stands for the answer of "
                    "agent a and needs a flow from it.",
                ),
                Parameter("workflow", "text", False, "How it works; cot if left out."),
                Parameter("tools", "texts", False, "The tools that it may use."),
                Parameter("roles", "texts", False, "Two or more debaters, for a workflow that needs them."),
                Parameter("backbone", "text", False, "The model that it runs on; the default one if left out."),
            ),
            Agent,
        ),
        Primitive(
            "create_flow",
            "Let the answer of one agent flow to another, which then waits for it.",
            (
                Parameter("source", "text", True, "Id of the agent that answers.", alias="from"),
                Parameter("target", "text", True, "Id of the agent that receives.", alias="to"),
                Parameter("payload", "text", False, "What arrives, in words."),
            ),
            Flow,
        ),
        Primitive(
            "answer",
            "Answer the question directly, without any agent.",
            (Parameter("text", "text", True, "The answer."),),
            _answer,
        ),
    )
}
