"""Runs of MAS² as data, for tests of its tables."""

from decimal import Decimal

from masrepro.lab.mas2 import Mas2Run
from masrepro.models import Usage


def spent(usd: str | None, calls: int = 1) -> Usage:
    return Usage(calls, 10 * calls, calls, None if usd is None else Decimal(usd))


def one(
    variant: str,
    item: int = 0,
    *,
    solved: bool = True,
    usd: str | None = "1",
    meta_usd: str = "0",
    fault: str = "none",
    outcome: str = "",
    benchmark: str = "b",
    backbones: dict[str, int] | None = None,
    repeat: int = 0,
) -> Mas2Run:
    return Mas2Run(
        variant,
        benchmark,
        f"i{item}",
        repeat,
        fault,
        outcome or ("correct" if solved else "wrong"),
        spent(usd),
        spent(meta_usd),
        0.5,
        2,
        1,
        {"s": 2} if backbones is None else backbones,
    )
