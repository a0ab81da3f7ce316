"""Runs: params, evaluation, records, and the notebook runner."""

from masrepro.lab.accuracy import Accuracy
from masrepro.lab.evaluate import Evaluation, evaluate, evaluate_sync
from masrepro.lab.grade import ByName, Grade, Scorer
from masrepro.lab.judge import JudgeRefused, ModelJudge, qualify, self_check
from masrepro.lab.notebook import Run, open_run
from masrepro.lab.rescore import by_flavour, rescore
from masrepro.lab.sample import Sample
from masrepro.lab.sample_store import SampleStore

__all__ = [
    "Accuracy",
    "ByName",
    "Evaluation",
    "Grade",
    "JudgeRefused",
    "ModelJudge",
    "Run",
    "Sample",
    "SampleStore",
    "Scorer",
    "by_flavour",
    "evaluate",
    "evaluate_sync",
    "open_run",
    "qualify",
    "rescore",
    "self_check",
]
