"""Solves questions in iGSM's own sentences from their text alone, for the published items of MASBench.

The forms are those of iGSM (arXiv 2407.20311) and of what MASBench (arXiv 2601.14652, appendix A.1.2) builds from it:
numbered problems, ``[answerK]`` for an answer carried on, ``[variableK]`` computed from one as in R-HORIZON, notes, and
RULER's needles (arXiv 2404.06654) among paragraphs whose questions follow a line of ``=``. Everything is modulo 23
but for the needles, and what is not mentioned is 0. Nothing is taken from the generator.

A category total is not stated. It is the sum of what a place is said to have; for a category further below, each part
counts as often as there are places that hold it. The texts do not say which layer a name belongs to. Here layers follow
from who holds whom, and a category lies as near below the places that it is asked of as the text allows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

_CHAINS = (
    ("district", "supermarket", "product", "ingredient"),
    ("zoo", "enclosure", "animal", "bone"),
    ("ecosystem", "creature", "organ", "cell"),
    ("school", "classroom", "backpack", "stationery"),
)
"""iGSM's categories, each holding the next."""
_RANKS = {category: rank for chain in _CHAINS for rank, category in enumerate(chain)}

_CARRIED = r"\[(answer|variable) ?(\d+)\]"
_FACT = re.compile(r"The number of each (.+?) equals (.+?)\.(?=\s|$)")
_CODE = re.compile(r"pecial magic numbers? for (.+?) is:? (\d+)")
_ASKED = re.compile(
    r"How many (?P<category>[^?]+?) does (?:each )?(?P<place>[^?]+?) have\?"
    r"|What is the value of (?:each )?(?P<name>[^?]+?)\?"
    r"|What is the special magic number for (?P<key>[^?]+?)(?: mentioned in [^?]+)?\?"
)
_VARIABLE = re.compile(r"\[variable ?(\d+)\] = \[answer ?(\d+)\](?: ([+-]) (\d+))?(?=[.,;]|\s*$)", re.MULTILINE)
_SCALED = re.compile(rf"(\d+|{_CARRIED}) (more than|times as (?:much|many) as|times) (.+)")
_LIST = re.compile(r",? and (?=each |\[)|, (?=each |\[)")
_NOTE = re.compile(r"Note: .*")
_PROBLEM = re.compile(r"^\s*Problem \d+:", re.MULTILINE)
_RULE = re.compile(r"^={10,}\s*$", re.MULTILINE)


def is_igsm(question: str) -> bool:
    """Whether something is asked in iGSM's or RULER's words."""
    return _ASKED.search(_plain(question)) is not None


def solve_igsm(question: str, *, together: bool = False) -> str | tuple[str, ...]:
    """The answer, or the tuple of answers of a question with several problems.

    Parameters
    ----------
    together : bool
        Every problem may use the facts of all. The published sets call their problems independent, yet some need it.

    Raises
    ------
    ValueError
        A problem asks for not exactly one thing, defines something twice or in a circle, or says something that is
        not understood.
    """
    blocks, is_set = _blocks(question)
    if together:
        facts = _merged(block.facts for block in blocks)
        blocks = [_Block(block.asked, facts, block.codes, block.variables) for block in blocks]
    answers: list[int] = []
    for block in blocks:
        answers.append(_Reader(block, answers).answer())
    return tuple(map(str, answers)) if is_set else str(answers[0])


@dataclass(frozen=True)
class _Block:
    """What one problem asks for, and its sentences by the names that they define."""

    asked: str
    facts: Mapping[str, str]
    codes: Mapping[str, int]
    variables: Mapping[int, tuple[int, int]]


def _blocks(question: str) -> tuple[list[_Block], bool]:
    """Every problem, and whether they are a set, which has a tuple of answers."""
    text = _NOTE.sub("", _plain(question)).partition("### Final Answers")[0]
    body, *requests = _RULE.split(text)
    if requests:
        asked = [_name_asked(found) for found in _ASKED.finditer("".join(requests))]
        said = [part for part in re.split(r"\n\s*\n", body) if _FACT.search(part) or _CODE.search(part)]
        # Where paragraphs cannot be told apart, each question may use all of them.
        own = said if len(said) == len(asked) else [body] * len(asked)
        return [_block(name, part) for name, part in zip(asked, own, strict=True)], True
    _, *problems = _PROBLEM.split(text)
    blocks = []
    for part in problems or [text]:
        found = [_name_asked(one) for one in _ASKED.finditer(part)]
        if len(found) != 1:
            raise ValueError(f"a problem asks for exactly one thing; found {len(found)}")
        blocks.append(_block(found[0], part))
    return blocks, bool(problems)


def _block(asked: str, text: str) -> _Block:
    variables = {
        int(number): (int(answer), int(f"{sign}{added}") if added else 0)
        for number, answer, sign, added in _VARIABLE.findall(text)
    }
    codes = {key: int(code) for key, code in _CODE.findall(text)}
    return _Block(asked, _merged({name: said} for name, said in _FACT.findall(text)), codes, variables)


def _name_asked(found: re.Match[str]) -> str:
    if found["category"]:
        return f"{found['place']}'s {found['category']}"
    return found["name"] or found["key"]


def _merged(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for name, said in (fact for part in parts for fact in part.items()):
        if merged.setdefault(name, said) != said:
            raise ValueError(f"{name} is defined twice")
    return merged


@dataclass
class _Reader:
    """Works out one problem, given the answers of those before it."""

    block: _Block
    answers: Sequence[int]
    known: dict[str, int] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        facts = self.block.facts
        referred = (name for said in facts.values() for name in re.findall(r"each (.+?)(?=,| and each |$)", said))
        places = _split_names(dict.fromkeys([*facts, *referred, self.block.asked]))
        totals = {
            name: (place, rank)
            for name, (place, thing) in places.items()
            if name not in facts and (rank := _rank(thing)) is not None
        }
        self.held: dict[str, dict[str, str]] = {}
        for name in facts:
            if name in places:
                place, thing = places[name]
                self.held.setdefault(place, {})[name] = thing
        depths = _distances(totals, [pair for name, pair in places.items() if name not in totals])
        self.totals = {name: (places[name][0], depths[name]) for name in totals}

    def answer(self) -> int:
        asked = self.block.asked
        return self.block.codes[asked] if asked in self.block.codes else self.value(asked)

    def value(self, name: str) -> int:
        """What is said of a name, the total of a category, or 0."""
        if name in self.open:
            raise ValueError(f"{name} is defined by itself: {' > '.join([*self.open, name])}")
        if name not in self.known:
            self.open.append(name)
            if name in self.block.facts:
                self.known[name] = self.term(self.block.facts[name]) % 23
            else:
                self.known[name] = self.total(*self.totals[name]) % 23 if name in self.totals else 0
            self.open.pop()
        return self.known[name]

    def total(self, place: str, distance: int) -> int:
        """How many things a place has so many layers below it."""
        held = self.held.get(place, {})
        if distance == 1:
            return sum(self.value(name) for name in held)
        return sum(self.value(name) * self.total(thing, distance - 1) for name, thing in held.items())

    def term(self, said: str) -> int:
        """The number that the words after «equals» come to."""
        if scaled := _SCALED.fullmatch(said):
            number, inner = self.term(scaled[1]), self.term(scaled[5])
            return number + inner if scaled[4] == "more than" else number * inner
        if said.startswith("the sum of "):
            return sum(self.term(part) for part in _LIST.split(said.removeprefix("the sum of ")))
        if said.startswith("the difference of "):
            first, second = (self.term(part) for part in _LIST.split(said.removeprefix("the difference of ")))
            return first - second
        if carried := re.fullmatch(rf"(?:each )?{_CARRIED}", said):
            return self.carried(carried[1], int(carried[2]))
        if said.isdecimal():
            return int(said)
        if said.startswith("each "):
            return self.value(said.removeprefix("each "))
        raise ValueError(f"not understood: {said}")

    def carried(self, kind: str, number: int) -> int:
        added = 0
        if kind == "variable":
            if number not in self.block.variables:
                raise ValueError(f"[variable{number}] is not said to be an answer, or one more or less a number")
            number, added = self.block.variables[number]
        if not 1 <= number <= len(self.answers):
            raise ValueError(f"[answer{number}] is needed before it is known")
        return self.answers[number - 1] + added


def _distances(totals: Mapping[str, tuple[str, int]], pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How many layers below its place each total's category lies.

    Of the places that hang together, the topmost gets the lowest of iGSM's four layers that leaves room for all that
    they hold, and for a category below every place that one is asked of.
    """
    distances: dict[str, int] = {}
    left = dict(totals)
    while left:
        layers = _layers(next(iter(left.values()))[0], pairs)
        below = {name: rank - layers[place] for name, (place, rank) in left.items() if place in layers}
        top = min(min(below.values()) - 1, len(_CHAINS[0]) - 1 - max(layers.values()))
        distances |= {name: distance - top for name, distance in below.items()}
        left = {name: total for name, total in left.items() if name not in below}
    return distances


def _layers(start: str, pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Layer of all that hangs together with ``start``, which is in layer 0: a thing is one below its place."""
    layers, left = {start: 0}, [start]
    while left:
        at = left.pop()
        near = [(t, 1) for p, t in pairs if p == at] + [(p, -1) for p, t in pairs if t == at]
        for other, step in near:
            if other not in layers:
                layers[other] = layers[at] + step
                left.append(other)
    return layers


def _split_names(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Place and thing of every name. Parts may hold «'s » themselves (Jungle Jim's Market), so that a name can be
    split in two ways; taken is the one whose parts appear in most names.
    """
    ways = {name: [(name[: at.start()], name[at.end() :]) for at in re.finditer("'s ", name)] for name in names}
    seen = Counter(part for pairs in ways.values() for pair in pairs for part in pair)
    return {
        name: max(pairs, key=lambda pair: (min(seen[pair[0]], seen[pair[1]]), seen[pair[0]] + seen[pair[1]]))
        for name, pairs in ways.items()
        if pairs
    }


def _rank(thing: str) -> int | None:
    """Which of its chain's categories it is, in either number; None for a thing."""
    return _RANKS.get(thing.lower().removesuffix("s"))


def _plain(text: str) -> str:
    """Straight apostrophes, and none that stands apart from its word."""
    return re.sub(r"\s+'s\b", "'s", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
