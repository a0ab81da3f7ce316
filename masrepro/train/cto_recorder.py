"""Writes down what each step of a training by preferences does, with every checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from masrepro.train.cto_history import PairStep, steps_of, write_pair_history


class PairRecorder(TrainerCallback):  # type: ignore[misc]
    """A trainer's callback.

    Parameters
    ----------
    history : Path
        Gets the steps until a checkpoint when that is saved.
    report : callable
        Gets a line of text a step.
    """

    def __init__(self, history: Path, report: Callable[[str], None]) -> None:
        self._history = history
        self._report = report

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Say what the last step did."""
        if state.is_world_process_zero:
            for step in steps_of(state.log_history[-1:]):
                self._report(said(step, state.max_steps))

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Write all steps down."""
        if state.is_world_process_zero:
            write_pair_history(self._history, steps_of(state.log_history))


def said(step: PairStep, n_steps: int) -> str:
    """A step in one line."""
    return (
        f"step {step.step}/{n_steps}  loss {step.loss:.4f}  margin {step.margin:+.4f}  gained {step.gained:.2f}  "
        f"delta {step.delta:.3f}"
    )
