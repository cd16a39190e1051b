"""GRPO on tools that drift, with TRL's trainer. It needs a server and `pip install 'finetune/python[trl]'`.

    toolevo serve env --dataset coffee --api p_s_in &
    python grpo.py --dataset coffee --model Qwen/Qwen3-0.6B --out trained

A step plays some tasks, each several times, all episodes at once, with the rewards of the server.
Every pass over the tasks draws versions anew. The folder OUT gets the model, the log of each step in
trainer_state.json, and every episode in traces.jsonl: its task, its reward, and its turns. The model
is also saved every --save-steps steps: the same command resumes after the last of them.

With --eval-url, a server of other tasks, accuracies there are measured before and after.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import torch
from datasets import concatenate_datasets
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer

from toolevo_env import answering, environment, reward, tasks


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8083", help="of toolevo serve env")
    parser.add_argument("--dataset", default="", help="show tools and play tasks of this dataset alone")
    parser.add_argument("--model", required=True, help="one whose chat template has tools")
    parser.add_argument("--out", required=True, help="folder for the model and the logs")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--save-steps", type=int, default=20, help="after which the model is saved")
    parser.add_argument("--episodes", type=int, default=16, help="at once, in a step")
    parser.add_argument("--generations", type=int, default=8, help="episodes of a task, which are compared")
    parser.add_argument("--turns", type=int, default=12, help="of an episode at most")
    parser.add_argument("--tokens", type=int, default=2048, help="of an episode at most, with what tools answer")
    parser.add_argument("--learning-rate", type=float, default=1e-6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--eval-url", default="", help="of another server, to measure at")
    parser.add_argument("--eval-api", default="p_c,p_s_in,p_s_ood", help="versions to measure under")
    return parser.parse_args()


def main() -> None:
    a = arguments()
    traces = Path(a.out, "traces.jsonl")
    traces.parent.mkdir(parents=True, exist_ok=True)

    def logged_reward(environments, task_id, trainer_state, **_):
        rewards = reward(environments)
        with traces.open("a") as file:
            for e, task, r in zip(environments, task_id, rewards, strict=True):
                line = {"step": trainer_state.global_step, "task_id": task, "reward": r, "lost": e.lost, "turns": e.trace}
                file.write(json.dumps(line) + "\n")
        return rewards

    config = GRPOConfig(
        output_dir=a.out, max_steps=a.steps, learning_rate=a.learning_rate, seed=a.seed, logging_steps=1, report_to="none",
        per_device_train_batch_size=a.episodes, num_generations=a.generations, num_generations_eval=1,
        per_device_eval_batch_size=a.episodes, max_completion_length=a.tokens, max_tool_calling_iterations=a.turns,
        save_strategy="steps", save_steps=a.save_steps, save_total_limit=1,
        bf16=torch.cuda.is_available(),
    )
    played = environment(a.url, a.dataset)
    trainer = answering(GRPOTrainer)(
        a.model, args=config, train_dataset=passes(a), environment_factory=played,
        reward_funcs=logged_reward,
    )
    before = accuracies(trainer, a)
    last = get_last_checkpoint(a.out)
    if last:
        print(f"resuming after {last}", file=sys.stderr)
    trainer.train(resume_from_checkpoint=last)
    trainer.save_model()
    trainer.save_state()
    print(json.dumps({"before": before, "after": accuracies(trainer, a)}))


def passes(a: argparse.Namespace):
    """Returns the tasks, as often as the steps go through them, each time with another seed."""
    first = tasks(a.url, a.dataset, seed=a.seed)
    count = math.ceil(a.steps * a.episodes / a.generations / len(first))
    others = [tasks(a.url, a.dataset, seed=a.seed + i) for i in range(1, count)]
    return concatenate_datasets([first, *others])


def accuracies(trainer: GRPOTrainer, a: argparse.Namespace) -> dict[str, float]:
    """Returns the share of right answers to the other server's tasks: 1 for a right one, else 0."""
    if not a.eval_url:
        return {}
    examiner = answering(GRPOTrainer)(
        trainer.model, args=trainer.args, processing_class=trainer.processing_class, reward_funcs=reward,
        train_dataset=tasks(a.eval_url, a.dataset), environment_factory=environment(a.eval_url, a.dataset),
    )
    found = {}
    for version in a.eval_api.split(","):
        found[version] = examiner.evaluate(tasks(a.eval_url, a.dataset, version))["eval_reward"]
    return found


if __name__ == "__main__":
    main()
