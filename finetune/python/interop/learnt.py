"""Checks what a run of examples/grpo.py left: ten steps, 16 episodes in each, rewards that tell episodes apart, gradients,
and episodes that were right because the model called what a notice named.

    learnt.py OUT
"""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

STEPS, EPISODES = 10, 16


def main(out):
    state = json.loads(Path(out, "trainer_state.json").read_text())
    steps = [s for s in state["log_history"] if "reward" in s]
    traces = [json.loads(line) for line in Path(out, "traces.jsonl").read_text().splitlines()]
    by_step = defaultdict(list)
    for t in traces:
        by_step[t["step"]].append(t["reward"])

    recovered = 0
    for t in traces:
        notices = [i for i, turn in enumerate(t["turns"]) if turn["outcome"] == "deprecated"]
        recovered += bool(notices) and t["reward"] == 1

    means = [sum(rewards) / len(rewards) for _, rewards in sorted(by_step.items())]
    told_apart = sum(s["reward_std"] > 0 and s["grad_norm"] > 0 for s in steps)
    print("learnt: mean reward of each step: " + ", ".join(f"{s['reward']:+.2f}" for s in steps)
          + f"; {recovered} of {len(traces)} episodes right after notices; {told_apart} steps with gradients")

    faults = [words for words, holds in {
        f"{STEPS} steps": len(steps) == STEPS,
        f"{EPISODES} episodes in each": [len(r) for r in by_step.values()] == [EPISODES] * STEPS,
        "no episode lost": not any(t["lost"] for t in traces),
        "rewards of 1 and -1": {t["reward"] for t in traces} == {1, -1},
        "the trainer's rewards are the server's": all(
            math.isclose(s["reward"], m, abs_tol=1e-4) for s, m in zip(steps, means)),
        "steps with gradients": told_apart > 0,
        "episodes right after notices": recovered > 0,
        "weights": Path(out, "model.safetensors").exists(),
    }.items() if not holds]
    if faults:
        print(f"learnt: missing: {'; '.join(faults)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
