from __future__ import annotations

import json
from pathlib import Path

import pytest

from masrepro.lab.redaction import is_secret_name, looks_secret, redact, scrub

SECRET_NAMES = (
    "api_key OPENAI_API_KEY HF_TOKEN token db.password AWS_SECRET_ACCESS_KEY client_secret apikey credentials"
)
OTHER_NAMES = "max_tokens n_tokens tokens keyword secretary sort_key tokenizer"
SECRETS = "sk-abcdefgh hf_abcdefgh AKIA0123456789AB http://user:pw@host/v1"
OTHER_VALUES = "desk-solver-s http://localhost:8000/v1 task-oriented-planner half"


@pytest.mark.parametrize("name", SECRET_NAMES.split())
def test_names_that_hold_secrets_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", OTHER_NAMES.split())
def test_other_names_are_not_taken_for_secrets(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("text", SECRETS.split())
def test_values_with_the_shape_of_a_secret_are_known(text: str) -> None:
    assert looks_secret(text)


@pytest.mark.parametrize("text", OTHER_VALUES.split())
def test_other_values_are_not_taken_for_secrets(text: str) -> None:
    assert not looks_secret(text)


def test_secrets_are_replaced_by_their_names_longest_first() -> None:
    environ = {
        "A_TOKEN": "swordfish",
        "B_TOKEN": "swordfish-and-more",
        "PLAIN": "swordfish too",
        "C_TOKEN": "short",
    }
    assert redact("x swordfish-and-more y swordfish z short", environ) == "x [B_TOKEN] y [A_TOKEN] z short"


def test_a_secret_is_found_in_its_json_form() -> None:
    secret = 'sword"fish\u00e9\\'
    for form in (secret, json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        assert "fish" not in redact(form, {"A_TOKEN": secret})


def test_ordinary_words_come_through() -> None:
    text = "risk-averse-decision-making, sk-learn-based-pipelines-here, shf_1234567890abcdefgh, half_life"
    assert redact(text, {}) == text
    assert redact("Bearer sk-proj-0123456789abcdef", {}) == "Bearer [secret]"


def test_scrub_reaches_every_file_and_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIXTURE_API_KEY", "swordfish")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "odd name").write_bytes(b"\xff swordfish \xfe")
    (tmp_path / "clean.txt").write_text("trout")
    before = (tmp_path / "clean.txt").stat().st_mtime_ns
    assert scrub(tmp_path) == [tmp_path / "inner" / "odd name"]
    assert (tmp_path / "inner" / "odd name").read_bytes() == b"\xff [FIXTURE_API_KEY] \xfe"
    assert (tmp_path / "clean.txt").stat().st_mtime_ns == before
    assert scrub(tmp_path) == []
