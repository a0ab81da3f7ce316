"""What hosted models cost, as data with date and source (``prices.yaml``). What is not listed is unknown, not free."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import NamedTuple
from urllib.parse import urlsplit

import yaml

from masrepro.models.model import Price


class Entry(NamedTuple):
    """A listed price: of models whose name matches a pattern, at a host."""

    host: str
    pattern: str
    price: Price


def price_of(model: str, base_url: str | None = None) -> Price | None:
    """The listed price of a model, with its date and source.

    Parameters
    ----------
    model : str
        As the server names it.
    base_url : str or None
        Where it is served; prices are those of its host alone. None: of any host, as long as all that list the model
        agree.

    Returns
    -------
    Price or None
        None where nothing is known; for a model on a machine of one's own as well.
    """
    host = None if base_url is None else urlsplit(base_url).hostname
    found: dict[str, Price] = {}
    for entry in price_table():
        if host in (None, entry.host) and fnmatchcase(model, entry.pattern):
            found.setdefault(entry.host, entry.price)
    prices = list(found.values())
    return prices[0] if prices and all(price == prices[0] for price in prices) else None


@cache
def price_table() -> tuple[Entry, ...]:
    """All listed prices, in the order in which they hold."""
    text = (resources.files("masrepro.models") / "prices.yaml").read_text(encoding="utf-8")
    return tuple(_entries(text))


def _entries(text: str) -> Iterator[Entry]:
    # As text, so that 0.10 becomes exactly that decimal and a date stays what the source says.
    for group in yaml.load(text, Loader=yaml.BaseLoader):
        if group["currency"] != "USD":
            raise ValueError(f"prices.yaml: {group['source']} is in {group['currency']}; only US dollars are added up")
        for pattern, (prompt, completion) in group["models"].items():
            price = Price(Decimal(prompt), Decimal(completion), group["date"], group["source"])
            yield Entry(group["host"], pattern, price)
