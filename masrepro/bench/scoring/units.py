r"""What follows a number: a unit, a degree sign, a per cent sign, the base of a numeral.

A unit that only one of two answers writes is taken to stand in the question ("how many metres"). Two that
differ make two different answers: nothing is converted.
"""

from __future__ import annotations

import re

_SPELLINGS = {
    "mm": "millimeter millimetre",
    "cm": "centimeter centimetre",
    "m": "meter metre",
    "km": "kilometer kilometre",
    "in": "inch inche",
    "ft": "foot feet",
    "yd": "yard",
    "mi": "mile",
    "g": "gram",
    "kg": "kilogram",
    "lb": "pound",
    "l": "liter litre",
    "ml": "milliliter millilitre",
    "s": "sec second",
    "min": "minute",
    "h": "hr hour",
    "rad": "radian",
    "°": "degree deg",
}
_SYMBOLS = {word: symbol for symbol, words in _SPELLINGS.items() for word in words.split()}
_SYMBOLS |= {"mile per hour": "mph", "degree celsiu": "°c", "degree fahrenheit": "°f"}
# What is counted or paid in, never another size of the same thing.
_NEUTRAL = frozenset({"unit", "square unit", "sq unit", "cubic unit", "dollar", "usd"})
_NUMERALS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_BASES = {word: str(base) for base, word in enumerate(_NUMERALS, start=2)}

_NOT_UNITS = (
    "sqrt|frac|pi|sin|cos|tan|cot|sec|csc|log|ln|exp|lcm|gcd|max|min|lim|mod|times|cdot|infty|theta|alpha|beta|phi"
    "|and|or|is|are|was|were|not|but|if|when|where|than|plus|minus|with|for|to"
)
_OF_AN_ANGLE = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)")
_SUFFIX = re.compile(
    rf"""
    \s*
    (?: (?P<percent>%)
      | (?P<degree>\^\\circ) \s* (?:\\text\s*\{{)? \s* (?P<scale>[CF])? \s* \}}?
      | _ \s* (?: (?P<digit>[0-9])
                | \{{ \s* (?:\\text\s*\{{)? \s* (?P<base>[0-9]{{1,2}}|[a-z]+) \s* \}}? \s* \}} )
      | (?: \\text \s* \{{ \s* (?!(?:{_NOT_UNITS})\b) (?P<text>[^{{}}]*) \}}
          | (?<=[0-9}}]) \s+ (?!(?:{_NOT_UNITS})\b) (?P<words>[A-Za-z]{{2,}}(?:[ /][A-Za-z]+)*)
          | (?<=[0-9}}]) (?P<attached>cm|mm|km|kg|lb|ml|mph|ft|hr) )
        \s* (?: \^ \s* \{{? \s* (?P<power>[23]) \s* \}}? )?
    )
    \s* $
    """,
    re.VERBOSE,
)


def split_unit(text: str) -> tuple[str, str]:
    r"""A scalar in the spelling of `notation.plain`, as its value and its unit ("" where it has none).

    A lone letter behind digits is a variable, not a unit: ``5m`` has none, ``5\text{ m}`` has.

    >>> split_unit(r"\frac{270}{7}\text{ degrees}")
    ('\\frac{270}{7}', '°')
    """
    found = _SUFFIX.search(text)
    value = text[: found.start()].strip() if found else ""
    if not found or not value:
        return text, ""
    if found["percent"]:
        return value, "%"
    if found["degree"]:
        if _OF_AN_ANGLE.search(value):
            return text, ""  # in \cos 36^\circ the degrees belong to the angle
        return value, "°" + (found["scale"] or "").lower()
    if base := found["base"] or found["digit"]:
        is_numeral = re.fullmatch("[0-9A-F]+", value) is not None
        return (value, f"base {_BASES.get(base, base)}") if is_numeral else (text, "")
    return value, _unit(found["text"] or found["words"] or found["attached"], found["power"])


def _unit(name: str, power: str | None) -> str:
    """One spelling for a unit: its symbol where it has one, in the singular, with its power."""
    words = [word.rstrip(".") for word in name.lower().split()]
    words = [word[:-1] if len(word) > 2 and word.endswith("s") else word for word in words]
    if " ".join(words) in _NEUTRAL:
        return ""
    if len(words) > 1 and words[0] in ("square", "sq", "cubic", "cu"):
        power = "2" if words[0].startswith("s") else "3"
        words = words[1:]
    unit = " ".join(words)
    unit = _SYMBOLS.get(unit, unit)
    return f"{unit}^{power}" if power else unit
