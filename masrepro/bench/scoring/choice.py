r"""Multiple choice: the one option letter, A to J, that a reply settles on.

Looked for in four places; the first that holds anything decides. The last box. Statements: "the answer is D",
"(B) is correct", "I choose C". Conclusions: "so D.", "it must be (D)". A first or last line that is an option
and nothing else: "**D**", "D) because ...". An article, a pronoun, a negated letter or an option listed on
the way is no answer, and a reply that settles on two letters settles on none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masrepro.bench.scoring.boxes import boxes, spoken
from masrepro.bench.scoring.outcome import Score, judged, unparsed

_FREE = r"(?![\w'\u2019-])"  # the letter is not the beginning of a word
# Behind a lone letter a sentence ends or a reason begins; anywhere else "a" and "I" are words.
_END = (
    r"(?=\s{0,9}(?:$|[.,;:)!?\u2013\u2014-](?![A-Za-z0-9])"
    r"|\b(?:because|since|as|for|which|due|but|not|and|or)\b))"
)
_BRACKETED = r"\((?P<bracketed>(?i:[A-J]))\)"
_CAPITAL = rf"(?P<capital>[B-HJ]){_FREE}(?!\.\w)"
_LONE = rf"(?P<lone>(?i:[A-J])){_FREE}{_END}"

_STATEMENT = re.compile(
    rf"""
    (?i: \b(?:answer|choice|option|solution)s? \s{{0,9}}
         (?: \b(?:is|are|was|(?:would|should|must|has\ to|seems\ to)\ be)\b (?P<negated>\s+not\b|n['\u2019]t)?
           | [:=\u2192\u2013-] )
       | \b(?:choose|pick|select|go\ with|settle\ on)\b )
    (?i: [\s:]{{0,9}}
         (?: (?:most\ )?[a-z]{{2,20}}ly | therefore|thus|then|indeed|hence|either
           | the|option|choice|letter|answer )\b ){{0,5}}
    [\s:]{{0,9}}
    (?:{_BRACKETED}|{_CAPITAL}|{_LONE})
    """,
    re.VERBOSE | re.MULTILINE,
)
_PRAISE = re.compile(
    r"""
    (?: \b(?i:option|choice|answer)\s | ^ | (?<=[.,;:!?]\s)
      | \b(?i:so|hence|thus|therefore|and|but|only)[\s,] )
    \(?(?P<subject>[A-J])\)? \s (?:is|must\ be) \s
    (?:(?:the|clearly|therefore|thus|indeed|actually)\s){0,3} (?:correct|right|best|true|answer)\b
    """,
    re.VERBOSE | re.MULTILINE,
)
_CONCLUSION = re.compile(
    rf"(?i:\b(?:so|thus|hence|therefore|it\sis|it['\u2019]s|must\sbe))[\s,:]{{1,9}}"
    rf"(?i:(?:it\sis|it['\u2019]s|it\smust\sbe)\s)?(?:{_BRACKETED}{_END}|{_LONE})",
    re.MULTILINE,
)
_NEGATION = re.compile(r"(?i)(?:\bnot|n['\u2019]t|\bnever|\bcannot|\bhardly)(?:\s+\w+){0,4}\s*$")
_INSTEAD = re.compile(
    rf"[\s,;)]{{0,9}}(?:but|rather)\s(?:(?:rather|instead|option|choice)\s){{0,2}}\(?(?P<letter>[A-J])\)?{_FREE}"
)
_RIVAL = re.compile(
    r"\)?\s{0,9}(?:[,/&]|\bor\b|\band\b)\s{0,9}(?:(?:also|option|choice)\s)?"
    r"\(?(?P<letter>[A-J])\)?(?=\s{0,9}(?:$|[.,;:)!?]|and\b|or\b))"
)
_RETRACTION = re.compile(
    r"(?i)\b(?:wait|actually|no[,.]|correction|instead|rather|mistake|second thought"
    r"|re-?check\w*|reconsider\w*|but|so|hence|therefore|thus|finally|final)\b"
)
_OPTION = re.compile(
    rf"(?:(?i:option|choice|answer)\s)?"
    rf"(?:{_BRACKETED}(?:[.:]|\s|$).*"
    r"|(?P<lone>(?i:[A-J]))[.)\]:]?"
    r"|(?P<capital>[A-J])(?:[.):]\s+\S|\s+[\u2013\u2014-]\s|,?\s+(?:because|since)\b).*)"
)
_DECORATION = re.compile(
    r"\\(?:text(?:bf|it|rm)?|mathrm|mathbf)\s{0,9}(?=\{)|\\[()]|[*_`${}\"\u201c\u201d]",
)
_SPACING = re.compile(r"\\[ ,;]|~")
_BRACKETS = str.maketrans("[]", "()")


def score_choice(prediction: str, gold: Sequence[str]) -> Score:
    """Score the option letter that a reply settles on.

    Parameters
    ----------
    prediction : str
        The reply.
    gold : sequence of str
        Option letters that count as right: "D" or "(D)".

    Raises
    ------
    ValueError
        A gold answer is not a letter from A to J.
    """
    golds = [_gold_letter(answer) for answer in gold]
    letter = settled_letter(spoken(prediction))
    return unparsed() if letter is None else judged(letter in golds, letter)


def settled_letter(text: str) -> str | None:
    """The letter that a text settles on, in upper case; None where there is none, or more than one."""
    found = boxes(text)
    if found:
        return None if found[-1] is None else _option(_undecorated(found[-1]))
    text = _undecorated(text)
    if said := _said(text, _STATEMENT, _PRAISE) or _said(text, _CONCLUSION):
        return _agreed(text, said)
    lines = [line for line in text.splitlines() if line.strip()]
    letters = {letter for line in (*lines[:1], *lines[-1:]) if (letter := _option(line))}
    return letters.pop() if len(letters) == 1 else None


@dataclass(frozen=True, slots=True)
class _Said:
    """A place in the text that names an answer; ``letter`` is None where it names several."""

    start: int
    end: int
    letter: str | None


def _said(text: str, *patterns: re.Pattern[str]) -> list[_Said]:
    said: list[_Said] = []
    for found in (found for pattern in patterns for found in pattern.finditer(text)):
        start, end, letter = found.start(), found.end(), _letter(found)
        if found.groupdict().get("negated") or _NEGATION.search(_clause_before(text, start)):
            if instead := _INSTEAD.match(text, end):
                said.append(_Said(start, instead.end(), instead["letter"]))
            continue
        rival = _RIVAL.match(text, end)
        said.append(_Said(start, end, letter if rival is None or rival["letter"] == letter else None))
    return sorted(said, key=lambda one: one.start)


def _agreed(text: str, said: Sequence[_Said]) -> str | None:
    """The letter named last, unless the one before it differs and nothing between the two takes that back."""
    last = said[-1]
    for before in said[-2:-1]:
        if before.letter != last.letter and not _RETRACTION.search(text, before.end, last.start + 1):
            return None
    return last.letter


def _clause_before(text: str, end: int) -> str:
    return re.split(r"[.,;:!?\n]", text[max(0, end - 60) : end])[-1]


def _option(line: str) -> str | None:
    """The letter of a line that is an option and nothing else."""
    found = _OPTION.fullmatch(line.strip().rstrip(".,;:! "))
    return None if found is None else _letter(found)


def _letter(found: re.Match[str]) -> str:
    named = (letter for group, letter in found.groupdict().items() if letter and group != "negated")
    return next(named).upper()


def _undecorated(text: str) -> str:
    return _DECORATION.sub("", _SPACING.sub(" ", text)).translate(_BRACKETS)


def _gold_letter(answer: str) -> str:
    letter = _option(_undecorated(answer))
    if letter is None:
        raise ValueError(f"gold answer {answer!r} is not an option letter: give one of A to J")
    return letter
