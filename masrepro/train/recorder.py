"""Writes down what each step of a TRL trainer does and how long its parts take."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from accelerate.utils import gather_object
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.history import History, Step, step_of
from masrepro.train.reward import Judged
from masrepro.train.training_folder import keep_adapter

_LEARNING = ("loss", "grad_norm", "entropy", "kl", "learning_rate", "clip_ratio/region_mean")


class Recorder(TrainerCallback):  # type: ignore[misc]
    """A trainer's callback, and the one to which its reward function hands every wave.

    A step ends with the last update on its batch. The time before the wave is sampling, that after it the update; the
    reference model's share of the update, where there is one, falls before the wave.

    Parameters
    ----------
    history : History
        Gets a step's record, in the main process, with the rollouts of all processes.
    settings : GrpoSettings
    folder : Path
        The training's; keeps the adapter of every checkpoint.
    report : callable
        Gets a line of text a step.
    """

    def __init__(self, history: History, settings: GrpoSettings, folder: Path, report: Callable[[str], None]) -> None:
        self._history = history
        self._settings = settings
        self._folder = folder
        self._report = report
        self._began = 0.0
        self._judged: tuple[Judged, float] | None = None

    def judged(self, judged: Judged) -> None:
        """Take note of a wave that has just ended."""
        self._judged = judged, time.monotonic()

    def on_step_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """A batch begins unless this is a further update on the last."""
        if state.global_step % self._settings.iterations == 0:
            self._began = time.monotonic()

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Keep the adapter, as only the last checkpoints stay."""
        if state.is_world_process_zero:
            checkpoint = Path(args.output_dir) / f"checkpoint-{state.global_step}"
            step = state.global_step // self._settings.iterations
            keep_adapter(checkpoint, self._folder, step, self._settings.orchestrator)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Write the step down if its last update has been made."""
        if self._judged is None or state.global_step % self._settings.iterations:
            return
        (judged, ended), self._judged = self._judged, None
        pairs = gather_object(list(zip(judged.wave.rollouts, judged.rewards, strict=True)))
        if not state.is_world_process_zero:
            return
        learning = {name: float(value) for name in _LEARNING if (value := (logs or {}).get(name)) is not None}
        seconds = {
            "sampling": ended - judged.wave.seconds - self._began,
            "execution": judged.wave.seconds,
            "waiting": judged.wave.waiting_s,
            "update": time.monotonic() - ended,
        }
        step = step_of(state.global_step // self._settings.iterations, pairs, learning, seconds)
        self._history.append(step)
        self._report(said(step, self._settings.steps))


def said(step: Step, n_steps: int) -> str:
    """A step in one line."""
    size = "none valid" if step.mean_agents is None else f"{step.mean_agents:.1f} agents"
    total = sum(seconds for part, seconds in step.seconds.items() if part != "waiting")
    return (
        f"step {step.step}/{n_steps}  reward {step.reward:.3f}  valid {step.valid:.2f}  {size}  "
        f"no variance {step.zero_variance:.2f}  {total:.1f} s"
    )
