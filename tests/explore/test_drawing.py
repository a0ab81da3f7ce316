"""Text in pictures: it stays data, and fits its box."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from masrepro.explore.drawing import document, table_html, text_lines, wrapped


@given(st.text())
def test_any_text_gives_well_formed_xml(text):
    svg = document(100, 50, text, [text_lines(1, 1, [(text, "")])])
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") is not None


@given(st.text(), st.integers(2, 40), st.integers(1, 6))
def test_lines_keep_to_columns_and_number(text, columns, most):
    lines = wrapped(text, columns, most)
    assert len(lines) <= most
    assert all(len(line) <= columns for line in lines)


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=30), max_size=20))
def test_no_letter_is_lost_where_there_is_room(words):
    assert "".join(wrapped(" ".join(words), 10, 1_000)).replace(" ", "") == "".join(words)


def test_wide_characters_take_two_columns():
    assert wrapped("多智能体系统", 6, 9) == ["多智能", "体系统"]


def test_a_table_holds_text_as_text():
    html = table_html([{"a": "<b>", "c": 0.123456}, {"a": "x", "c": None}], "cap & tion")
    root = ElementTree.fromstring(html)
    assert [cell.text for cell in root.iter("th")] == ["a", "c", "<b>", "x"]
    assert [cell.text for cell in root.iter("td")] == ["0.123", None]
    assert root.find("caption").text == "cap & tion"
