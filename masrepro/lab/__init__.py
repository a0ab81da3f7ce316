"""Runs: params, evaluation, records, and the notebook runner."""

from masrepro.lab.accuracy import Accuracy
from masrepro.lab.evaluate import Evaluation, evaluate, evaluate_sync
from masrepro.lab.notebook import Run, open_run
from masrepro.lab.sample import Sample
from masrepro.lab.sample_store import SampleStore

__all__ = ["Accuracy", "Evaluation", "Run", "Sample", "SampleStore", "evaluate", "evaluate_sync", "open_run"]
