"""A step of GRPO with desk models: where its time goes, and what parsing and running systems costs of it.

The overhead is measured twice: within the step, as the time in which no sub-agent's call was in flight; and by the same
batch of systems run again with a model that answers at once, which leaves nothing but parser, runtime and scorer.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from masrepro.models import Completion, Pool, Sampling, Usage
from masrepro.models.desk import load_desk_model
from masrepro.train.grpo import catalogue_of, train
from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.reward import FinalAnswer
from masrepro.train.rollout import Attempt, Rollout, Team, roll_out


class Instant:
    """Answers at once."""

    name, revision, context_tokens, price = "instant", "1", 4096, None

    async def complete(self, messages: object, sampling: object) -> Completion:
        return Completion("Answer: \\boxed{1} \\boxed{1}", "stop", Usage(1, 100, 10))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("orchestrator", nargs="?", default="desk-orchestrator", help="a desk model or a folder")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=24)
    parser.add_argument("--group", type=int, default=12)
    parser.add_argument("--method", choices=("holistic", "sequential"), default="holistic")
    options = parser.parse_args()

    settings = GrpoSettings(
        orchestrator=options.orchestrator,
        method=options.method,
        cells=("masbench/parallel/2", "masbench/parallel/3"),
        steps=options.steps,
        prompts_per_step=options.prompts,
        group_size=options.group,
        micro_batch=options.group * options.prompts // 4,
        plan_tokens=256,
        lora_rank=8,
        lora_alpha=16,
        learning_rate=1e-3,
        beta=0.0,
        device="cpu",
        autocast=False,
        activation_checkpointing=False,
        checkpoint_every=1000,
    )
    seen: list[Rollout] = []

    def noted(rollout: Rollout) -> float:
        seen.append(rollout)
        return FinalAnswer()(rollout)

    team = Team(Pool.of(load_desk_model("desk-solver-s")), sampling=Sampling(max_tokens=320), rationale_chars=0)
    with tempfile.TemporaryDirectory() as folder:
        steps = train(settings, Path(folder), team=team, reward_of=noted).steps
    for step in steps:
        total = step.seconds["sampling"] + step.seconds["execution"] + step.seconds["update"]
        idle = step.seconds["execution"] - step.seconds["waiting"]
        print(
            f"step {step.step}: {total:.2f} s = sampling {step.seconds['sampling']:.2f} + execution "
            f"{step.seconds['execution']:.2f} + update {step.seconds['update']:.2f}; no call in flight {idle:.3f} s, "
            f"{idle / total:.1%}; {step.calls} calls, {step.drawn_calls} drawn, {step.turns:.1f} turns"
        )
    if options.method == "sequential":  # its systems exist only together with what was heard while they were built
        return

    n_batch = settings.completions_per_step
    attempts: list[Attempt] = [rollout.attempt for rollout in seen[-n_batch:]]
    instant = Team(Pool.of(Instant()), catalogue_of(settings))
    began = time.perf_counter()
    asyncio.run(roll_out(attempts, instant))
    alone = time.perf_counter() - began
    print(f"parser, runtime and scorer alone, {n_batch} systems: {alone:.3f} s, {alone / total:.1%} of the last step")


if __name__ == "__main__":
    main()
