"""Direct preference optimisation in which a pair weighs as much as its actions differ in value.

L = -E[dV log sigmoid(beta log pi/pi_ref(win) - beta log pi/pi_ref(lose))]: MAS² (arXiv 2509.24323), section 3.2, as a
small subclass of TRL's `DPOTrainer`. With dV = 1 for every pair it is that trainer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from trl import DPOTrainer
from trl.trainer.dpo_trainer import DataCollatorForPreference

if TYPE_CHECKING:
    from datasets import Dataset
    from torch import Tensor

DELTA = "delta"
"""Column of a data set, and entry of a batch: dV."""
TOKENIZED = ("prompt_ids", "chosen_ids", "rejected_ids")
"""Columns of a data set that is in tokens already."""


@dataclass
class ValuedPairs(DataCollatorForPreference):  # type: ignore[misc]
    """TRL's batch of pairs, with their dV."""

    def torch_call(self, examples: list[dict[str, Any]]) -> dict[str, Any]:
        """A batch: winners, then losers; ``delta`` has one entry a pair."""
        batch: dict[str, Any] = super().torch_call(examples)
        return batch | {DELTA: torch.tensor([example[DELTA] for example in examples])}


class ValueScaledDPOTrainer(DPOTrainer):  # type: ignore[misc]
    """`DPOTrainer` with the loss mean(dV * loss of a pair).

    Parameters
    ----------
    *args, **kwargs
        As for `DPOTrainer`. The data sets have a column ``delta`` besides; where they have `TOKENIZED` columns, these
        are taken as they are.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.data_collator = ValuedPairs(self._tokenizer.pad_token_id, self.args.max_length)

    def compute_loss(
        self, model: Any, inputs: Mapping[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The loss of a batch.

        TRL takes the mean over a batch inside its loss and has no hook before it. The loss of a batch of one pair is
        that pair's own, though. So pairs are computed one by one: no line of TRL's loss is repeated here, and a batch
        of one, the usual size, costs nothing more.

        Raises
        ------
        ValueError
            The logits are asked for as well.
        """
        if return_outputs:
            raise ValueError("a value-scaled loss comes without logits; leave compute_metrics out")
        deltas: Tensor = inputs[DELTA]
        batch = {name: rows for name, rows in inputs.items() if name != DELTA}
        losses = [super(ValueScaledDPOTrainer, self).compute_loss(model, pair) for pair in _pairs(batch, len(deltas))]
        self._metrics["train" if model.training else "eval"][DELTA] += self.accelerator.gather(deltas).tolist()
        return (deltas * torch.stack(losses)).mean()

    def _set_signature_columns_if_needed(self) -> None:
        super()._set_signature_columns_if_needed()
        if DELTA not in self._signature_columns:
            self._signature_columns.append(DELTA)

    def _prepare_dataset(self, dataset: Dataset, *args: Any, **kwargs: Any) -> Dataset:
        if set(TOKENIZED) <= set(dataset.column_names):
            return dataset
        return super()._prepare_dataset(dataset, *args, **kwargs)


def _pairs(batch: Mapping[str, Tensor], n_pairs: int) -> list[dict[str, Tensor]]:
    """A batch in batches of one pair: row i is a winner, and row i + n, if there is one, the loser."""
    return [{name: rows[pair::n_pairs] for name, rows in batch.items()} for pair in range(n_pairs)]
