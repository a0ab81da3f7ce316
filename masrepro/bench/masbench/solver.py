"""Solves a MASBench question from its text alone, and measures its axes there: the independent check on the generator.

It imports nothing from the generator on purpose; its own idea of the rules is written out here. Published items are
in other sentences, which `igsm` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from masrepro.bench.masbench.igsm import is_igsm, solve_igsm

_THING = r"\w+'s \w+|\[answer ?\d+\]"
_KEY = r"\w+[ -]\w+"
_FACT = re.compile(rf"The number of each ({_THING}) equals ([^.]+)\.")
_CODE = re.compile(rf"The code of the ({_KEY}) is (\d+)\.")
_ASKED = re.compile(rf"What is the (?:number of each ({_THING})|code of the ({_KEY}))\?")
_NAME = re.compile(_THING)
_ANSWER = re.compile(r"\[answer ?(\d+)\]")
_CATEGORY = re.compile(r"\b([A-Z]\w+) are ((?:[A-Z]\w+, )+[A-Z]\w+) and ([A-Z]\w+)\.")
_NOTE = re.compile(r"Note: .*")
_FINAL_ANSWERS = "### Final Answers"


def solve_text(question: str) -> str | tuple[str, ...]:
    """The answer, or the tuple of answers of a question with numbered problems, in our sentences or in iGSM's.

    Raises
    ------
    ValueError
        The text asks for nothing, defines something twice or in a circle, or says something that is not understood.
    """
    if is_igsm(question):
        return solve_igsm(question)
    problems, numbered = _read(question)
    answers: list[int] = []
    for problem in problems:
        answers.append(problem.answer(answers))
    return tuple(map(str, answers)) if numbered else str(answers[0])


def measure_text(question: str) -> dict[str, int]:
    """The value of every axis, as a text in our sentences has it.

    ``depth`` and ``breadth`` are the largest of any problem, ``horizon`` counts problems on the longest chain of
    carried answers, ``parallel`` groups of problems that share nothing, ``robustness`` notes that give a number.

    Raises
    ------
    ValueError
        As `solve_text`.
    """
    problems, _ = _read(question)
    chains: list[int] = []
    for problem in problems:
        chains.append(1 + max((chains[number - 1] for number in problem.carried), default=0))
    return {
        "depth": max(problem.level(problem.asked) for problem in problems),
        "breadth": max(max(len(problem.inputs(name)) for name in problem.names) for problem in problems),
        "horizon": max(chains),
        "parallel": _count_groups(problems),
        "robustness": sum(bool(re.search(r"\d", note)) for note in _NOTE.findall(question)),
    }


@dataclass
class _Problem:
    """One asked quantity and all that the text says it may depend on."""

    asked: str
    facts: Mapping[str, str]
    categories: Mapping[str, tuple[str, ...]]
    known: dict[str, int] = field(default_factory=dict)
    codes: Mapping[str, int] = field(default_factory=dict)

    def answer(self, earlier: list[int]) -> int:
        if self.asked in self.codes:
            return self.codes[self.asked]
        return self._value(self.asked, earlier, ())

    def inputs(self, name: str) -> list[str]:
        """Names that the fact on ``name`` refers to; for a category, the things in it that the text mentions."""
        if name in self.facts:
            return [other for other in _NAME.findall(self.facts[name]) if not _ANSWER.fullmatch(other)]
        place, _, thing = name.partition("'s ")
        return [part for kind in self.categories.get(thing, ()) if (part := f"{place}'s {kind}") in self.facts]

    @property
    def names(self) -> set[str]:
        """All that is asked for, stated or referred to."""
        return {self.asked, *self.facts, *(other for name in self.facts for other in self.inputs(name))}

    @property
    def carried(self) -> set[int]:
        """Numbers of the problems whose answers are referred to in what the answer depends on."""
        said = [self.facts.get(name, "") for name in self.below(self.asked)]
        return {int(number) for text in said for number in _ANSWER.findall(text)}

    def below(self, name: str) -> set[str]:
        """``name`` and all that it depends on."""
        reached, left = {name}, [name]
        while left:
            fresh = set(self.inputs(left.pop())) - reached
            reached |= fresh
            left += fresh
        return reached

    def level(self, name: str) -> int:
        """Names on the longest chain that ends at ``name``."""
        return 1 + max((self.level(other) for other in self.inputs(name)), default=0)

    def _value(self, name: str, earlier: list[int], above: tuple[str, ...]) -> int:
        if name in above:
            raise ValueError(f"{name} is defined by itself: {' > '.join([*above, name])}")
        if name not in self.known:
            self.known[name] = self._work_out(name, earlier, (*above, name))
        return self.known[name]

    def _work_out(self, name: str, earlier: list[int], above: tuple[str, ...]) -> int:
        if reference := _ANSWER.fullmatch(name):
            number = int(reference[1])
            if not 1 <= number <= len(earlier):
                raise ValueError(f"{name} is needed before it is known")
            return earlier[number - 1] % 23
        said = self.facts.get(name)
        if said is None:
            return sum(self._value(part, earlier, above) for part in self.inputs(name)) % 23
        inner = [self._value(other, earlier, above) for other in _NAME.findall(said)]
        number_said = re.match(r"\d+", said)
        if number_said and not inner and number_said[0] == said:
            return int(said) % 23
        if number_said and " more than each " in said and len(inner) == 1:
            return (int(number_said[0]) + inner[0]) % 23
        if number_said and " times as many as each " in said and len(inner) == 1:
            return int(number_said[0]) * inner[0] % 23
        if said.startswith("the sum of each "):
            return sum(inner) % 23
        if said.startswith("the difference of each ") and len(inner) == 2:
            return (inner[0] - inner[1]) % 23
        if _ANSWER.fullmatch(said):
            return inner[0]
        raise ValueError(f"not understood: {name} equals {said}")


def _read(question: str) -> tuple[list[_Problem], bool]:
    """Every problem, and whether they are numbered. What stands before the first number belongs to all."""
    text = _NOTE.sub("", question).partition(_FINAL_ANSWERS)[0]
    categories = {name: (*some.split(", "), last) for name, some, last in _CATEGORY.findall(text)}
    shared, *blocks = re.split(r"^Problem \d+: ", text, flags=re.MULTILINE)
    if not blocks:
        return [_read_one(shared, {}, categories)], False
    common = _facts(shared, {})
    return [_read_one(block, common, categories) for block in blocks], True


def _read_one(text: str, common: Mapping[str, str], categories: Mapping[str, tuple[str, ...]]) -> _Problem:
    asked = [number or code for number, code in _ASKED.findall(text)]
    if len(asked) != 1:
        raise ValueError(f"a problem asks for exactly one quantity; found {len(asked)}")
    facts = _facts(text, common)
    codes = {name: int(said) for name, said in facts.items() if "'s " not in name}
    return _Problem(asked[0], {n: said for n, said in facts.items() if n not in codes}, categories, codes=codes)


def _facts(text: str, common: Mapping[str, str]) -> dict[str, str]:
    facts = dict(common)
    for name, said in [*_FACT.findall(text), *_CODE.findall(text)]:
        if name in facts:
            raise ValueError(f"{name} is defined twice")
        facts[name] = said
    return facts


def _count_groups(problems: list[_Problem]) -> int:
    """Groups of problems joined by a name that several depend on, or by a carried answer."""
    cones = [problem.below(problem.asked) for problem in problems]
    group = list(range(len(problems)))
    for one, other in _pairs(len(problems)):
        if cones[one] & cones[other] or one + 1 in problems[other].carried:
            group = [group[one] if place == group[other] else place for place in group]
    return len(set(group))


def _pairs(n: int) -> Iterator[tuple[int, int]]:
    return ((one, other) for other in range(n) for one in range(other))
