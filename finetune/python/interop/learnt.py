"""Checks the results of examples/grpo.py: ten steps of 16 episodes, different rewards, gradients,
episodes that were right because the model called what a notice named, and the same episodes at the
server.

    learnt.py OUT EPISODES.jsonl

EPISODES.jsonl is what `toolevo serve env --record` kept: the episodes with a turn.
"""

import json
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path

STEPS, EPISODES = 10, 16


def answered(trace):
    """Returns the answers of the tools in a trace, as recorded episodes have them."""
    return [turn["result"] for turn in trace["turns"] if turn["action"] != {"type": "text", "text": ""}]


def main(out, recorded):
    state = json.loads(Path(out, "trainer_state.json").read_text())
    steps = [s for s in state["log_history"] if "reward" in s]
    traces = [json.loads(line) for line in Path(out, "traces.jsonl").read_text().splitlines()]
    by_step = defaultdict(list)
    for t in traces:
        by_step[t["step"]].append(t["reward"])

    kept = [json.loads(line) for line in Path(recorded).read_text().splitlines()]
    at_server = Counter(
        str((e["question_id"], e["strict"], [t["observation"] for t in e["turns"]])) for e in kept)
    here = Counter(str((t["task_id"], t["reward"] == 1, answered(t))) for t in traces if answered(t))

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
        "rewards of 1 and 0": {t["reward"] for t in traces} == {1, 0},
        "the trainer's rewards are the server's": all(
            math.isclose(s["reward"], m, abs_tol=1e-4) for s, m in zip(steps, means)),
        "steps with gradients": told_apart > 0,
        "episodes right after notices": recovered > 0,
        "the same episodes at the server": here == at_server,
        "weights": Path(out, "model.safetensors").exists(),
        "weights on the way": any(Path(out).glob("checkpoint-*/model.safetensors")),
    }.items() if not holds]
    for where, more in (("at the server", at_server - here), ("here", here - at_server)):
        for episode, count in more.items():
            print(f"learnt: only {where}, {count} times: {episode}", file=sys.stderr)
    if faults:
        print(f"learnt: missing: {'; '.join(faults)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
