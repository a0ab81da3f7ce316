"""SVG files as elements of a page."""

import pytest

from masrepro.report.inline_svg import described, inline_svg, lighter, width_px

SVG = (
    '<?xml version="1.0"?><svg viewBox="0 0 9 9"><!-- made by x -->'
    '<defs><clipPath id="c"><rect id="r"/></clipPath></defs>'
    '<g clip-path="url(#c)" data-id="c"><use href="#r" x="1.23456"/><text>1.23456 id="c"</text></g></svg>\n'
)


def test_ids_and_what_points_to_them_get_the_prefix():
    element = inline_svg(SVG, "n01f0", "Name")
    assert element.startswith("<svg ")
    assert 'clipPath id="n01f0-c"' in element and 'rect id="n01f0-r"' in element
    assert "url(#n01f0-c)" in element and 'href="#n01f0-r"' in element and 'data-id="c"' in element
    assert '>1.23456 id="c"<' in element


def test_a_file_without_title_is_named():
    assert '<svg viewBox="0 0 9 9" role="img"><title>a &lt; b</title>' in inline_svg(SVG, "p", "a < b")
    titled = inline_svg('<svg role="img"><title>Own</title><desc>Falls &amp; rises.</desc></svg>', "p", "other")
    assert titled.count("<title>") == 1 and titled.count("role=") == 1
    assert described(titled) == "Falls &amp; rises."
    assert described("<svg/>") == ""


def test_what_is_no_svg_is_refused():
    with pytest.raises(ValueError, match="holds no <svg> element"):
        inline_svg("| a table |", "p", "Name")


def test_lighter_rounds_places_and_leaves_words():
    text = lighter(SVG)
    assert 'x="1.23"' in text and ">1.23456 " in text and "<!--" not in text
    assert lighter(text) == text


@pytest.mark.parametrize(
    ("element", "width"),
    [('<svg role="img" width="446" height="1">', 446), ('<svg width="374.4pt">', 499.2), ('<svg><g width="9"/>', 0)],
)
def test_the_width_is_told_in_pixels(element, width):
    assert width_px(element) == pytest.approx(width)
