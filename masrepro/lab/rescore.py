"""Score stored samples again, without running anything: by another scorer, another flavour, a corrected truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from masrepro.bench import Item
from masrepro.lab.evaluate import Evaluation
from masrepro.lab.grade import ByName, Scorer, graded
from masrepro.lab.sample import Sample
from masrepro.lab.sample_store import SampleStore
from masrepro.lab.workers import work_through

FLAVOURS = ("strict", "paper")


async def rescore(
    samples: SampleStore | Iterable[Sample], items: Sequence[Item], scorer: Scorer, *, concurrency: int = 64
) -> tuple[Sample, ...]:
    """Have the answers of samples scored by another scorer; no system runs, and nothing is written.

    Parameters
    ----------
    samples : SampleStore or iterable of Sample
        One without an answer (``invalid``, ``truncated``, ``limit`` ...) is returned as it is.
    items : sequence of Item
        Those that the samples answer. Their truths count, not those on record.
    scorer : Scorer
        `ByName`, a judge, or a function of your own.
    concurrency : int
        Answers in scoring at once.

    Returns
    -------
    tuple of Sample
        In the order given, marked ``rescored``.

    Raises
    ------
    ValueError
        An item is missing.
    """
    given = samples.samples if isinstance(samples, SampleStore) else tuple(samples)
    by_id = {item.id: item for item in items}
    missing = sorted({sample.item_id for sample in given} - set(by_id))
    if missing:
        raise ValueError(
            f"no item for {len(missing)} samples' item_id, such as {missing[0]!r}; give all items answered"
        )
    scored = list(given)

    async def work(index: int) -> None:
        sample = given[index]
        scored[index] = await graded(replace(sample, rescored=True), by_id[sample.item_id], scorer)

    answered = [index for index, sample in enumerate(given) if sample.answer is not None]
    await work_through(answered, work, concurrency)
    return tuple(scored)


async def by_flavour(
    evaluation: Evaluation, items: Sequence[Item], flavours: Sequence[str] = FLAVOURS
) -> dict[str, Evaluation]:
    """The same answers under several flavours, side by side: ``{flavour: evaluation}``.

    Parameters
    ----------
    evaluation : Evaluation
        Scored in whatever way.
    items : sequence of Item
        Those evaluated.
    flavours : sequence of str
        Of `masrepro.bench.score`; every item's scorer must have them.
    """
    return {
        flavour: replace(evaluation, samples=await rescore(evaluation.samples, items, ByName(flavour)))
        for flavour in flavours
    }
