"""An SVG file as an element of a page: its ids its own, nothing to fetch, and described in words; and made lighter."""

from __future__ import annotations

import re
from html import escape

_METADATA = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
_ID = re.compile(r'(?<=\sid=")|(?<=url\(#)|(?<=href="#)')
_START = re.compile(r"<svg\b[^>]*>", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_WIDTH = re.compile(r'<svg\b[^>]*?\swidth="([\d.]+)(pt)?')
_TAG = re.compile(r"<[^>]*>")
_LONG = re.compile(r"(\d\.\d\d)\d+")
_DESCRIPTION = re.compile(r"<desc>(.*?)</desc>", re.DOTALL)


def inline_svg(text: str, prefix: str, name: str) -> str:
    """The ``svg`` element of a file, for a page that holds several.

    Parameters
    ----------
    text : str
        The file's, with or without XML declaration and doctype, which HTML does not take.
    prefix : str
        Stands before every id, so that two figures of a page have none in common.
    name : str
        What screen readers speak where the file itself has no title.

    Raises
    ------
    ValueError
        There is no ``svg`` element.
    """
    start = _START.search(text)
    if start is None:
        raise ValueError("holds no <svg> element")
    element = _TAG.sub(lambda tag: _ID.sub(f"{prefix}-", tag[0]), lighter(text[start.start() :]))
    opening = _START.match(element)
    assert opening is not None
    head = opening[0]
    role = "" if ' role="' in head else ' role="img"'
    title = "" if _TITLE.search(element) else f"<title>{escape(name)}</title>"
    return f"{head[:-1]}{role}>{title}{element[opening.end() :]}".rstrip()


def described(element: str) -> str:
    """What an SVG says of itself besides its title, as HTML text; empty if it says nothing."""
    found = _DESCRIPTION.search(element)
    return found[1].strip() if found else ""


def width_px(element: str) -> float:
    """How wide an SVG is drawn where there is room, in pixels; 0 if it does not say."""
    found = _WIDTH.match(element)
    return float(found[1]) * (4 / 3 if found[2] else 1) if found else 0.0


def lighter(text: str) -> str:
    """An SVG without metadata, places to a hundredth of a unit; its words stay as they are."""
    return _TAG.sub(lambda tag: _LONG.sub(r"\1", tag[0]), _METADATA.sub("", text))
