"""The degree of MAS: its forms, what each allows, and the sentence that a model is told."""

from __future__ import annotations

import pytest

from masrepro.orchestration import DoM


def test_forms_are_read_and_written_alike():
    for dom in (DoM.LOW, DoM.HIGH, DoM.at_most(0), DoM.at_most(1), DoM.at_most(4), DoM.at_most(12)):
        assert DoM.parse(str(dom)) == dom
    assert DoM.parse(" low ") is DoM.LOW
    assert DoM.parse("High") is DoM.HIGH
    assert DoM.parse("04") == DoM.at_most(4)


@pytest.mark.parametrize("text", ["", "MEDIUM", "-1", "1.5", "\u0664", "9" * 5000])
def test_other_forms_are_refused(text):
    with pytest.raises(ValueError):
        DoM.parse(text)


@pytest.mark.parametrize("n", [-1, -3, True, 1.0, "2"])
def test_cap_is_a_number_of_agents(n):
    with pytest.raises(ValueError):
        DoM.at_most(n)


@pytest.mark.parametrize(
    ("dom", "allowed", "refused"),
    [
        (DoM.LOW, [0, 1], [2, 3]),
        (DoM.at_most(0), [0], [1, 2]),
        (DoM.at_most(3), [0, 1, 2, 3], [4]),
        (DoM.HIGH, [0, 1, 500], []),
    ],
    ids=str,
)
def test_numbers_of_agents(dom, allowed, refused):
    assert all(dom.allows(n) for n in allowed)
    assert not any(dom.allows(n) for n in refused)


def test_each_degree_has_a_sentence_of_its_own():
    sentences = [dom.describe() for dom in (DoM.LOW, DoM.HIGH, DoM.at_most(1), DoM.at_most(4), DoM.at_most(0))]
    assert len(set(sentences)) == 5
    assert all(sentence.endswith(".") for sentence in sentences)
    assert "at most 4 agents" in sentences[3] and "at most 1 agent." in sentences[2]
