"""Plays recorded episodes over OpenEnv's protocol with OpenEnv's own client, and compares what comes back.

    protocol.py URL EPISODES.jsonl

EPISODES.jsonl is that of `toolevo eval`. GenericEnvClient plays every episode, every second one with
tool calls instead of text: the observations, the outcomes and the reward must be those of the
evaluation. One client does so, and then 200 at once. Equal seeds must give equal episodes, and
`openenv validate` must pass. Exit 1 and a line for each difference if something is wrong.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

from openenv.core import GenericEnvClient

CLIENTS = 200
SEEDS = 100

failures = 0


def wrong(message):
    global failures
    failures += 1
    if failures <= 20:
        print(f"protocol: {message}", file=sys.stderr)


def action_of(text, as_call):
    """Returns the step for what a policy wrote, and whether it could be read as a call."""
    read = re.fullmatch(r"Thought: (.*)\nAction: (.*)\nAction Input: (.*)", text, re.DOTALL)
    with suppress(ValueError):
        if read and as_call:
            thought, name, arguments = read.groups()
            call = {"type": "call_tool", "tool_name": name, "arguments": json.loads(arguments), "thought": thought}
            return call, isinstance(call["arguments"], dict)
    return {"type": "text", "text": text}, False


async def play(url, episode, as_call):
    """Plays an episode. Returns its reward, and how many of its turns were calls."""
    name = f"{episode['question_id']} under {episode['deployed_api']} by {episode['policy']}"
    calls, reward, done = 0, None, False
    async with GenericEnvClient(base_url=url) as client:
        begun = await client.reset(task_id=episode["question_id"], api=episode["deployed_api"], seed=0)
        if begun.observation["question"] != episode["question"]:
            wrong(f"{name}: the question is {begun.observation['question']!r}")
        for i, turn in enumerate(episode["turns"]):
            if done:
                wrong(f"{name}: over before turn {i}")
                return reward, calls
            action, is_call = action_of(turn["action"], as_call)
            calls += is_call
            got = await client.step(action)
            reward, done = got.reward, got.done
            for what, want in ("result", turn["observation"]), ("outcome", turn["outcome"]):
                if got.observation[what] != want:
                    wrong(f"{name}: turn {i}: {what} {got.observation[what]!r}, want {want!r}")
        if episode["limit"] == "silence":
            got = await client.step({"type": "text", "text": ""})
            reward, done = got.reward, got.done
        if not done:
            wrong(f"{name}: not over after its {len(episode['turns'])} turns")
        if reward != (1 if episode["strict"] else 0):
            wrong(f"{name}: reward {reward}, and strict is {episode['strict']}")
    return reward, calls


async def play_all(url, episodes, clients):
    free = asyncio.Semaphore(clients)

    async def one(i, episode):
        async with free:
            return await play(url, episode, i % 2 == 1)

    return await asyncio.gather(*(one(i, e) for i, e in enumerate(episodes)))


async def begin(url, seed):
    """Returns the first observation of an episode, and its state."""
    async with GenericEnvClient(base_url=url) as client:
        begun = await client.reset(seed=seed)
        return begun.observation, await client.state() | {"episode_id": None}  # the server numbers them


async def main(url, file):
    episodes = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    one = await play_all(url, episodes, 1)
    if await play_all(url, episodes, CLIENTS) != one:
        wrong(f"{CLIENTS} clients get other rewards than one")

    first, second = [[await begin(url, seed) for seed in range(SEEDS)] for _ in range(2)]
    if first != second:
        wrong("equal seeds give other episodes")
    drawn = Counter(state["deployed_version"] for _, state in first)
    if len({e["task_id"] for e, _ in first}) < 2 or len(drawn) < 2:
        wrong(f"the seeds choose nothing: {drawn}")

    openenv = Path(sys.executable).parent / "openenv"
    said = subprocess.run([openenv, "validate", "--url", url], capture_output=True, text=True)
    if said.returncode:
        wrong(f"openenv validate: {said.stdout}{said.stderr}")

    if failures:
        print(f"protocol: {failures} differences", file=sys.stderr)
        return 1
    rewards = Counter((e["deployed_api"], reward) for e, (reward, _) in zip(episodes, one))
    print(f"protocol: {len(episodes)} episodes of {len({e['question_id'] for e in episodes})} tasks, "
          f"{sum(calls for _, calls in one)} turns as calls, by 1 and {CLIENTS} clients: "
          + ", ".join(f"{n} x {reward:+.0f} under {api}" for (api, reward), n in sorted(rewards.items())))
    print(f"protocol: {SEEDS} seeds, twice the same; openenv validate: {said.stdout.strip().splitlines()[-1]}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(*sys.argv[1:])))
