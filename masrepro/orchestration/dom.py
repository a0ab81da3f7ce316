"""The Degree of MAS (DoM): how large a system may be built (MAS-Orchestra, arXiv 2601.14652, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class DoM:
    """A bound on what may be built; enforced by the parser and told to the model.

    Take `DoM.LOW` (a direct answer, or one agent), `DoM.HIGH` (free) or `DoM.at_most(n)` (for sweeps).

    Parameters
    ----------
    name : str
        "LOW", "HIGH", or the number as text: what `DoM.parse` reads.
    max_agents : int or None
        The most agents of a system; None is free.
    """

    name: str
    max_agents: int | None

    LOW: ClassVar[DoM]
    HIGH: ClassVar[DoM]

    @classmethod
    def at_most(cls, n: int) -> DoM:
        """A numeric cap on agents; 0 leaves only a direct answer. Raises ValueError unless n >= 0."""
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise ValueError(f"a degree of MAS is a number of agents, 0 or more, not {n!r}")
        return cls(str(n), n)

    @classmethod
    def parse(cls, text: str) -> DoM:
        """Read "LOW", "HIGH" or a number of agents such as "4". Raises ValueError that lists the forms."""
        word = text.strip().upper()
        if word in ("LOW", "HIGH"):
            return cls.LOW if word == "LOW" else cls.HIGH
        if word.isascii() and word.isdigit() and len(word) <= 6:
            return cls.at_most(int(word))
        raise ValueError(f"no degree of MAS {text!r}: write LOW, HIGH or a number of agents such as 4")

    def allows(self, n_agents: int) -> bool:
        """Whether a system of that many agents may be built; 0 stands for a direct answer."""
        return self.max_agents is None or n_agents <= self.max_agents

    def describe(self) -> str:
        """The sentence that tells a model what it may build."""
        if self.name == "LOW":
            return "Answer directly, or create at most one agent and no flows."
        if self.max_agents == 0:
            return "Answer directly, and create no agents."
        if self.max_agents is None:
            return "Create as many agents and flows as the question needs."
        return f"Create at most {self.max_agents} agent{'s' if self.max_agents > 1 else ''}."

    def __str__(self) -> str:
        return self.name


DoM.LOW = DoM("LOW", 1)
DoM.HIGH = DoM("HIGH", None)
