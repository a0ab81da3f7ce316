"""Python source that is read and never run: calls with literal arguments, and where in the reply they are."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from masrepro.orchestration.body import LINE_END, Body
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.signature import PRIMITIVES, Primitive

_UNUSUAL = re.compile(r"""\r|\\[^\n\\'"abfnrtvxNuU0-7]|from\s*=|(?:^|\n)[ \t]+[ca]""")
_TOKEN = re.compile(
    r"""
    (?P<text>
        (?P<raw> [bBfF]?[rR][bBfF]? )?
        (?: '{3}[^'\\]*(?:(?:\\.|'(?!'{2}))[^'\\]*)*(?:'{3}|\Z) | '(?:[^'\\\r\n]|\\\r\n|\\.)*'?
          | "{3}[^"\\]*(?:(?:\\.|"(?!"{2}))[^"\\]*)*(?:"{3}|\Z) | "(?:[^"\\\r\n]|\\\r\n|\\.)*"? ) )
    | \#[^\r\n]*
    | (?<!\w)from(?=\s*=)
    | (?<![^\n])(?P<indent>[ \t]+)(?=(?:create_agent|create_flow|answer)\b)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_TEXT = re.compile(r"""(?P<escape>\\(?:[\n\\'"abfnrtvxNuU0-7]|\r\n?)) | (?P<backslash>\\) | \r""", re.VERBOSE)
# Python normalises identifiers but not keywords: with a fullwidth f, this is an argument named "from".
_FROM = "\uff46rom"
# To Python, a form feed puts the margin back to the left.
_NO_INDENT = "\f"

_HINT = "Write nothing but calls of create_agent, create_flow and answer, one a line, with every text in quotes."
_SYNTAX_HINTS = {
    "unterminated": "Close the text with its quote; a line break in it is \\n, or needs triple quotes.",
    "a backslash": "Write a backslash that is meant as text twice: \\\\",
    "never closed": "Close the bracket.",
    "unmatched": "Take the bracket out, or open it before.",
    "forgot a comma": "Put a comma between arguments, and a backslash before a quote inside a text.",
}


@dataclass(frozen=True, slots=True)
class Script:
    """A run of calls within a body.

    Parameters
    ----------
    body : Body
        What was written.
    start : int
        Offset of the run in the body, in characters.
    source : str
        The run as Python source.
    added : list of int
        Offsets, in the source, of characters that the body does not have.
    primitives : mapping of str to Primitive
        The calls that are understood, by name.
    hint : str
        How to mend what is none of them.
    """

    body: Body
    start: int
    source: str
    added: list[int]
    primitives: Mapping[str, Primitive]
    hint: str

    def calls(self) -> Iterator[tuple[ast.Call, Primitive]]:
        """The calls that the source consists of.

        Raises
        ------
        OrchestrationError
            The source is no Python, nests too deeply, or is more than calls of the primitives with named
            arguments.
        """
        for statement in self._statements():
            yield self._call(statement)

    def arguments(self, call: ast.Call) -> dict[str, object]:
        """The literal values of a call's arguments by name. Raises OrchestrationError for anything else."""
        arguments: dict[str, object] = {}
        for keyword in call.keywords:
            if keyword.arg is None:
                hint = "Name every argument; nothing can be unpacked."
                raise self._error("positional-argument", f"{self._excerpt(keyword.value)} is unpacked", keyword, hint)
            if keyword.arg in arguments:
                hint = "Give each argument once."
                raise self._error("repeated-argument", f"the argument {keyword.arg!r} comes twice", keyword, hint)
            value = keyword.value
            arguments[keyword.arg] = value.value if type(value) is ast.Constant else self._literal(value)
        return arguments

    def place(self, line: int, column_bytes: int) -> str:
        """Line and column in the reply, of a place as `ast` counts it."""
        return self.body.place(self._offset(line, column_bytes))

    def place_of_argument(self, call: ast.Call, name: str | None) -> str:
        """Line and column in the reply of an argument of a call, or of the call itself for None."""
        node = next((keyword for keyword in call.keywords if keyword.arg == name), call)
        return self.place(node.lineno, node.col_offset)

    def _statements(self) -> list[ast.stmt]:
        if "\0" in self.source:
            offset = self._in_body(self.source.index("\0"))
            raise self.body.error("syntax", "there is a null character", offset, "Write it as \\0.")
        try:
            return ast.parse(self.source).body
        except SyntaxError as error:
            raise self._syntax_error(error) from None
        except (RecursionError, MemoryError, SystemError):
            raise self.body.error("too-deep", "the text nests too deeply", self._in_body(0), self.hint) from None
        except UnicodeEncodeError as error:
            what = "there is a lone surrogate, half of a character"
            hint = "Write the character itself."
            raise self.body.error("not-unicode", what, self._in_body(error.start), hint) from None

    def _call(self, statement: ast.stmt) -> tuple[ast.Call, Primitive]:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call):
            raise self._error("not-a-call", f"{self._excerpt(statement)} is no call", statement, self.hint)
        primitive = self.primitives.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if primitive is None:
            raise self._error("unknown-call", f"{self._excerpt(call.func)} is no call of ours", call, self.hint)
        if call.args:
            hint = f"Name every argument: {primitive.example()}."
            raise self._error(
                "positional-argument", f"{primitive.name} has an argument without a name", call.args[0], hint
            )
        return call, primitive

    def _literal(self, node: ast.expr) -> object:
        if isinstance(node, ast.List | ast.Tuple):
            return [item.value if isinstance(item, ast.Constant) else self._not_literal(item) for item in node.elts]
        return self._not_literal(node)

    def _not_literal(self, node: ast.expr) -> object:
        hint = "Write the value itself: a text in quotes, or a list of texts. Nothing is computed."
        if isinstance(node, ast.JoinedStr):
            hint = "Take away the f before the quotes; ${a} is filled in later by itself."
        raise self._error("not-a-literal", f"{self._excerpt(node)} is an expression", node, hint)

    def _error(self, rule: str, what: str, node: ast.expr | ast.stmt | ast.keyword, hint: str) -> OrchestrationError:
        return self.body.error(rule, what, self._offset(node.lineno, node.col_offset), hint)

    def _syntax_error(self, error: SyntaxError) -> OrchestrationError:
        offset = self._in_body(self._line_start(error.lineno or 1) + max((error.offset or 1) - 1, 0))
        message = error.msg
        if "unicode error" in message:
            message = "a backslash begins an escape that is not complete"
        hint = next((hint for sign, hint in _SYNTAX_HINTS.items() if sign in message), self.hint)
        return self.body.error("syntax", f"this cannot be read as calls: {message}", offset, hint)

    def _excerpt(self, node: ast.expr | ast.stmt, most: int = 40) -> str:
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        text = " ".join(self.body.text[start:end].split())
        return text if len(text) <= most else f"{text[:most]}..."

    def _offset(self, line: int, column_bytes: int) -> int:
        start = self._line_start(line)
        before = self.source[start : start + column_bytes].encode()[:column_bytes]
        return self._in_body(start + len(before.decode(errors="ignore")))

    def _in_body(self, offset: int) -> int:
        return self.start + offset - bisect_left(self.added, offset)

    def _line_start(self, line: int) -> int:
        starts = [0, *(end.end() for end in LINE_END.finditer(self.source))]
        return starts[min(line, len(starts)) - 1]


def script_of(
    body: Body, start: int, end: int, primitives: Mapping[str, Primitive] = PRIMITIVES, hint: str = _HINT
) -> Script:
    """A slice of a body as a script."""
    text = body.text[start:end]
    source, added = _as_python(text) if _is_unusual(text) else (text, [])
    return Script(body, start, source, added, primitives, hint)


def _is_unusual(text: str) -> bool:
    """Whether Python would misread the text. Most texts show no sign of it, which is fast to see."""
    has_sign = "\\" in text or "from" in text or "\r" in text or "\n " in text or "\n\t" in text
    return (has_sign or text[:1].isspace()) and bool(_UNUSUAL.search(text))


def _as_python(text: str) -> tuple[str, list[int]]:
    """Python source that reads as the text is meant, and where backslashes had to be put in for that.

    Calls may be indented. Within a text, a backslash that is no escape is doubled, and a carriage return
    becomes its escape, which Python would otherwise read as a line feed. A raw text needs the former not and
    cannot have the latter.
    """
    added: list[int] = []

    def in_text(match: re.Match[str], start: int) -> str:
        if match["escape"]:
            return match["escape"]
        added.append(start + match.start() + len(added))
        return r"\\" if match["backslash"] else r"\r"

    def token(match: re.Match[str]) -> str:
        if match["text"] and not match["raw"]:
            return _IN_TEXT.sub(lambda inner: in_text(inner, match.start()), match["text"])
        if match["indent"]:
            return match["indent"][:-1] + _NO_INDENT
        return _FROM if match[0] == "from" else match[0]

    return _TOKEN.sub(token, text), added
