"""The price table: what is listed, for whom, and what stays unknown."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from masrepro.models import Price
from masrepro.models.prices import _entries, price_of, price_table

OPENAI = "https://api.openai.com/v1"


def test_a_price_comes_with_its_date_and_source() -> None:
    price = price_of("gpt-4o-mini", OPENAI)
    assert price == Price(Decimal("0.15"), Decimal("0.60"))
    assert price.date == "2026-05" and price.source.startswith("https://")


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-4o", "2.50"),
        ("gpt-4o-2024-05-13", "5.00"),
        ("gpt-4o-2024-08-06", "2.50"),
        ("gpt-4.1-mini-2025-04-14", "0.40"),
        ("gpt-4.1", "2.00"),
    ],
)
def test_the_closest_name_holds(model: str, usd: str) -> None:
    price = price_of(model, OPENAI)
    assert price is not None and price.prompt_usd == Decimal(usd)


@pytest.mark.parametrize(
    ("model", "base_url"),
    [
        ("gpt-4o-mini-transcribe", OPENAI),
        ("my-own-model", None),
        ("gemini-2.5-pro", None),
        ("openai/gpt-oss-120b", "http://127.0.0.1:8000/v1"),
        ("gpt-4o", "https://api.together.xyz/v1"),
        ("", None),
    ],
)
def test_what_is_not_listed_is_unknown(model: str, base_url: str | None) -> None:
    assert price_of(model, base_url) is None


def test_without_an_address_a_price_holds_only_if_all_hosts_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(
        f"- {{host: {host}, currency: USD, date: 2026-01, source: s, models: {{m: [{usd}, 1], n: [2, 2]}}}}"
        for host, usd in (("a.example", 1), ("b.example", 3))
    )
    monkeypatch.setattr("masrepro.models.prices.price_table", lambda: tuple(_entries(text)))
    assert price_of("m") is None and price_of("n") == Price(Decimal(2), Decimal(2))
    assert price_of("m", "https://b.example/v1") == Price(Decimal(3), Decimal(1))


def test_every_entry_is_positive_dated_and_sourced() -> None:
    assert len(price_table()) > 10
    for entry in price_table():
        assert entry.price.prompt_usd > 0 and entry.price.completion_usd > 0, entry
        assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", entry.price.date), entry
        assert entry.price.source.startswith("https://"), entry


def test_another_currency_is_not_taken_for_dollars() -> None:
    with pytest.raises(ValueError, match="is in EUR"):
        list(_entries("- {host: h, currency: EUR, date: 2026-01, source: s, models: {m: [1, 1]}}"))
