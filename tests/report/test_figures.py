"""Figures as SVG: nothing is wider than the picture, and steps are counted in whole numbers."""

import re

from masrepro.report.figures import Figure, Panel, Series


def texts(svg):
    return [re.sub(r"\s+", " ", text) for text in re.findall(r"<text[^>]*>([^<]+)</text>", svg)]


def curve(label, n):
    return Series(label, tuple(map(float, range(1, n + 1))), (0.5,) * n, marked=False)


def drawn(title, labels, n=20):
    series = tuple(curve(label, n) for label in labels)
    return Figure(title, "reward", (Panel("Training", "step", series),), "alt").svg()


def test_a_long_title_is_broken_into_lines():
    title = "The edge of competence: what the oracle's division of labour is worth to each of the solvers"
    heading = [text for text in texts(drawn(title, ["x y z"])) if text in title]
    assert " ".join(heading) == title
    assert max(map(len, heading)) <= 50


def test_long_labels_stand_below_one_another():
    svg = drawn("Title", [f"{name} with a long description of itself" for name in ("one", "two", "three")])
    places = re.findall(r"translate\(([\d.]+) [\d.]+\)[^>]*>(?:one|two|three) with", svg)
    places = places or re.findall(r'x="([\d.]+)"[^>]*>(?:one|two|three) with', svg)
    assert len(places) == 3
    assert len(set(places)) == 1


def test_ticks_of_steps_are_whole_numbers():
    for n in (3, 20, 60):
        ticks = [text for text in texts(drawn("Title", ["a"], n)) if re.fullmatch(r"\d+(\.\d+)?", text)]
        assert not [tick for tick in ticks if "." in tick and float(tick) > 1.05]
