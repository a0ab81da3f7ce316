"""The one exception of this package: why an orchestration was rejected, where, and how to mend it."""

from __future__ import annotations

from typing import Literal

Subject = tuple[Literal["agent", "flow", "answer"], int]


class OrchestrationError(Exception):
    """An orchestration that breaks a rule.

    Parameters
    ----------
    rule : str
        Short slug of the rule broken, stable enough to count by ("cycle", "unknown-workflow", ...).
    what : str
        What was found, as a sentence without its full stop.
    where : str
        Line and column in the text, an agent id, or a flow, in words.
    hint : str
        How to mend it, as a full sentence: fit for a person, or for a model that tries again.
    subject : Subject or None
        Which part is at fault, by kind and index, so that whoever holds the text can add line and column.
    """

    def __init__(self, rule: str, what: str, where: str, hint: str, subject: Subject | None = None) -> None:
        super().__init__(rule, what, where, hint, subject)
        self.rule = rule
        self.what = shortened(what)
        self.where = shortened(where)
        self.hint = shortened(hint)
        self.subject = subject

    def __str__(self) -> str:
        return f"{self.where}: {self.what} [{self.rule}]. {self.hint}"

    def at(self, place: str) -> OrchestrationError:
        """The same error with a place in the text ahead of `where`."""
        return OrchestrationError(self.rule, self.what, f"{place}, {self.where}", self.hint, self.subject)


def shortened(text: str, most: int = 600) -> str:
    """The text, or its beginning and end: a message quotes what a model wrote, which can be of any length."""
    return text if len(text) <= most else f"{text[: most - 100]} ... {text[-90:]}"
