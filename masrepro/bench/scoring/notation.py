r"""One spelling for a mathematical answer: no decoration, LaTeX for Unicode signs, full forms for short.

Nothing here changes a value or guesses at one. ``\dfrac12``, ``½`` and ``\frac {1}{2}`` all become
``\frac{1}{2}``; ``$70,000.`` becomes ``70,000``. Whether that comma separates thousands or the items of a
list is for `reading` to say.
"""

from __future__ import annotations

import re
import unicodedata

MAX_CHARACTERS = 2_000
"""A longer answer is left as it is, and compared as text only."""

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("\u200b\u2060\ufeff", ""),
        "×": r"\times ",
        "·": r"\cdot ",
        "⋅": r"\cdot ",
        "±": r"\pm ",
        "√": r"\sqrt ",
        "°": r"^\circ ",
        "∞": r"\infty ",
        "≤": r"\le ",
        "≥": r"\ge ",
        "≠": r"\ne ",
        "≈": r"\approx ",
        "∈": r"\in ",
        "∪": r"\cup ",
        "∩": r"\cap ",
        "∅": r"\emptyset ",
        "π": r"\pi ",
        "θ": r"\theta ",
        "α": r"\alpha ",
        "β": r"\beta ",
        "φ": r"\phi ",
    }
)

# Applied in this order; a later rule sees what an earlier one wrote.
_SPELLINGS = [
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|(?:no)?limits)(?![A-Za-z])(?:\.(?!\d))?", ""),
        (r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (r"\\(?:mathrm|mathbf|mathit|mathsf|mathtt|text(?:rm|bf|it|sf|tt|normal)|mbox)(?=\s*\{)", r"\\text"),
        (r"\\text\s*\{\s*,?\s*(and|or)\s*\}", r" \1 "),
        (r"\\text\s*\{\s*(-?[0-9][0-9.,/]*|[()\[\],])\s*\}", r"\1"),
        (r"\\text\s*\{\s*\}", ""),
        (r"\\(?:text)?color\s*\{[^{}]*\}|\\underline(?=\s*\{)", ""),
        (r",\\!\s*(?=[0-9]{3})|\{,\}(?=[0-9]{3})", ""),
        (r"(?<!\\)\\!", ""),
        (r"(?<!\\)\\(?:[,;: ]|q?quad(?![A-Za-z])|thinspace(?![A-Za-z]))|~", " "),
        (r"\\?[$€£¥]|(?<!\\)\\[()]", ""),
        (r"\\%|\bper ?cent\b", "%"),
        (r"\\lbrace(?![A-Za-z])", r"\\{"),
        (r"\\rbrace(?![A-Za-z])", r"\\}"),
        (r"\\leq?(?:slant)?(?![A-Za-z])", r"\\le "),
        (r"\\geq?(?:slant)?(?![A-Za-z])", r"\\ge "),
        (r"\\neq?(?![A-Za-z])", r"\\ne "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"<=", r"\\le "),
        (r">=", r"\\ge "),
        (r"\\varnothing(?![A-Za-z])|\\\{\s*\\\}", r"\\emptyset"),
        (r"(?<![A-Za-z\\])inf(?:inity|ty)?(?![A-Za-z])", r"\\infty"),
        (r"\^\s*\{\s*\\circ\s*\}|\^\s*\\circ(?![A-Za-z])|\\degrees?(?![A-Za-z])", r"^\\circ"),
        (r"(?<=\S)\*\*(?=\S)", "^"),
        (r"\\langle(?![A-Za-z])", "("),
        (r"\\rangle(?![A-Za-z])", ")"),
        (r"(?<![A-Za-z\\])sqrt(?=\s*[({])", r"\\sqrt"),
        (r"(?<![A-Za-z\\])pi(?![A-Za-z])", r"\\pi"),
        (r"\s+", " "),
    )
]
_EXPONENTS = re.compile(r"\^ ?-?[0-9.]*[0-9](?: ?\^ ?-?[0-9.]*[0-9])*")
_WRAPPERS = re.compile(r"^(\*\*|__|\*|`+)(.*)\1$", re.DOTALL)
_TAIL = re.compile(r"(?:(?<!\\)\\[,;:! ]|[.,;:]|\s)+$")
_DISPLAY = re.compile(r"^\\\[(.*)\\\]$", re.DOTALL)
_LOOSE_SPACE = re.compile(r"(?<![0-9A-Za-z]) | (?![0-9A-Za-z])")


def plain(answer: str) -> str:
    """The answer in the one spelling; empty where it was decoration only.

    Parameters
    ----------
    answer : str
        Content of a box, a line, or a gold answer.
    """
    if len(answer) > MAX_CHARACTERS:
        return answer.strip()
    text = _ascii(answer)
    text = _bare(text)
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    text = _EXPONENTS.sub(_nested, text)
    for command, n_arguments in (("\\frac", 2), ("\\sqrt", 1)):
        text = _braced(text, command, n_arguments)
    return _bare(_braced(text, "^", 1, only="("))


def same_text(a: str, b: str) -> bool:
    """Whether two answers in the one spelling differ in spacing only."""
    return _LOOSE_SPACE.sub("", a) == _LOOSE_SPACE.sub("", b)


def closing(text: str, start: int) -> int:
    """Index of the bracket, of any kind, that closes the one at ``start``; -1 where none does."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] in "([{":
            depth += 1
        elif text[index] in ")]}":
            depth -= 1
            if depth == 0:
                return index
    return -1


def _ascii(text: str) -> str:
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", lambda run: "^{" + run[0].translate(_SUPERSCRIPTS) + "}", text)
    text = re.sub("[₀₁₂₃₄₅₆₇₈₉]+", lambda run: "_{" + run[0].translate(_SUBSCRIPTS) + "}", text)
    text = re.sub("[¼-¾⅐-⅞]", lambda sign: _vulgar_fraction(sign[0]), text)
    text = re.sub(r"√\s*([0-9]+|[A-Za-z])", r"\\sqrt{\1}", text)
    return unicodedata.normalize("NFKC", text.translate(_SIGNS))


def _vulgar_fraction(sign: str) -> str:
    numerator, denominator = unicodedata.normalize("NFKC", sign).split("⁄")
    return rf"\frac{{{numerator}}}{{{denominator}}}"


def _nested(exponents: re.Match[str]) -> str:
    """Digits after ``^`` in braces, a power of a power from the right: 2^3^2 is 2^9."""
    nested = ""
    for exponent in reversed(exponents[0].replace(" ", "").split("^")[1:]):
        nested = f"^{{{exponent}{nested}}}"
    return nested


def _bare(text: str) -> str:
    """Without what stands around an answer: space, emphasis, delimiters, closing punctuation, a TeX group."""
    before = None
    while before != text:
        before = text
        text = _TAIL.sub("", text.strip())
        text = re.sub(r"^[$]+|(?<!\\)[$]+$|^\\[(]|\\[)]$|\\\\$", "", text)
        text = _WRAPPERS.sub(r"\2", text)
        text = _DISPLAY.sub(r"\1", text)
        if text.startswith("{") and closing(text, 0) == len(text) - 1:
            text = text[1:-1]
    return text


def _braced(text: str, command: str, n_arguments: int, only: str = "") -> str:
    """Give the arguments of every ``command`` their braces: ``\\frac12``, ``\\sqrt(2)``, ``^(n+1)``.

    Works from the last occurrence to the first, so that arguments inside arguments are done first.
    """
    at = text.rfind(command)
    while at >= 0:
        start = at + len(command)
        if not (command[-1].isalpha() and text[start : start + 1].isalpha()):
            if text.startswith("[", start) and closing(text, start) > 0:
                start = closing(text, start) + 1  # the index of a root
            for _ in range(n_arguments):
                text, start = _brace_argument(text, start, only)
        at = text.rfind(command, 0, at)
    return text


def _brace_argument(text: str, start: int, only: str) -> tuple[str, int]:
    while text[start : start + 1] == " ":
        start += 1
    first = text[start : start + 1]
    if not first or (only and first != only):
        return text, start
    if first in "{(":
        end = closing(text, start)
        if end < 0:
            return text, start
        if first == "(":
            text = text[:start] + "{" + text[start + 1 : end] + "}" + text[end + 1 :]
        return text, end + 1
    token = re.compile(r"\\[A-Za-z]+|[0-9A-Za-z]").match(text, start)
    if token is None:
        return text, start
    text = text[:start] + "{" + token[0] + "}" + text[token.end() :]
    return text, token.end() + 2
