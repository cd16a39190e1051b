"""Holds the package toolevo_env to what it promises, at a server that is killed while it is played with.

    package.py TOOLEVO EPISODES.jsonl FLAG…

TOOLEVO with the flags is the command of a server, EPISODES.jsonl what `toolevo eval` wrote of its tasks. What a model is
shown of the tools has to be what the server says of them. The episodes have to be worth what they were in the
evaluation, though the server is killed in each of them and started again; with no server left an episode is lost, and
has no reward. Without its key the server does nothing. Exit 1 and a line for each difference when something is wrong.
"""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

os.environ["TOOLEVO_ENV_KEY"] = "the key"  # before the package is imported, and for the server

from transformers.utils import get_json_schema  # noqa: E402

import toolevo_env  # noqa: E402

failures = 0
TYPES = {
    "text": {"type": "string", "description": "Returns: the text, Args: and more"},
    "count": {"type": "integer"},
    "share": {"type": "number", "description": "of all,\n  in lines"},
    "flag": {"type": "boolean"},
    "unit": {"type": "string", "enum": ["km", "mile"]},
    "names": {"type": "array", "items": {"type": "string"}},
    "place": {"type": "object"},
    "either": {"type": ["integer", "string"]},
    "whatever": {},
}


def wrong(message):
    global failures
    failures += 1
    print(f"package: {message}", file=sys.stderr)


class Server:
    """The server, always on the same port."""

    def __init__(self, command):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.at = "127.0.0.1:%d" % s.getsockname()[1]
        self.url = "http://" + self.at
        self.command = [*command, "--require-key", "--listen", self.at]
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while True:
            try:
                return urlopen(self.url + "/health").close()
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"package: the server ended: {self.process.stderr.read().decode()}")
                time.sleep(0.1)

    def kill(self):
        self.process.kill()
        self.process.wait()


def check_shown(tool, method):
    """What transformers shows a model of a method is what the server says of its tool."""
    got = get_json_schema(method)["function"]
    want = json.loads(json.dumps(tool["input_schema"]))
    for name, schema in want.get("properties", {}).items():
        schema["description"] = " ".join(schema.get("description", name).split())
        schema["description"] = schema["description"].replace("Returns:", "Returns -").replace("Args:", "Args -")
        if isinstance(schema.get("type"), list):
            schema["type"].sort()
    if got["name"] != tool["name"] or got["description"] != tool["description"] or got["parameters"] != want:
        wrong(f"a model is shown {got}, and the server says {tool}")


def play(server, env, episode):
    env.reset(task_id=episode["question_id"], api=episode["deployed_api"], seed=0)
    for i, turn in enumerate(episode["turns"]):
        if i == len(episode["turns"]) // 2:
            server.kill()
            server.start()
        arguments = json.loads(turn["action"].rsplit("\nAction Input: ", 1)[1])
        if (got := env[turn["api"]](**arguments)) != turn["observation"]:
            wrong(f"{episode['question_id']}: turn {i}: {got!r}, want {turn['observation']!r}")
    got, want = toolevo_env.reward([env]), [1 if episode["official"] else 0]
    if got != want or not env.done:
        wrong(f"{episode['question_id']}: rewarded with {got}, want {want}")


def main(toolevo, file, *flags):
    episodes = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    server = Server([toolevo, "serve", "env", *flags])
    server.start()
    kind = toolevo_env.environment(server.url)
    shown = toolevo_env._http(f"{server.url}/step", {"action": {"type": "list_tools"}})["observation"]["tools"]
    for tool in shown:
        check_shown(tool, getattr(kind(), tool["name"]))
    typed = {"name": "f", "description": "Does it.", "input_schema": {
        "type": "object", "properties": TYPES, "required": [n for n in TYPES if n != "flag"]}}
    check_shown(typed, toolevo_env._method(typed))

    rows = toolevo_env.tasks(server.url)
    if not {e["question_id"] for e in episodes} <= set(rows["task_id"]):
        wrong("not all tasks are listed")

    env = kind()
    for episode in episodes:
        play(server, env, episode)
    env.reset(**rows[0])
    if toolevo_env.reward([env]) != [0]:
        wrong("an episode without an answer is not worth 0")

    env.reset(**rows[0])
    server.kill()
    try:
        env["Finish"](answer="1")
        wrong("there is an answer without a server")
    except toolevo_env.EnvironmentFailure:
        pass
    if toolevo_env.reward([env]) != [None] or not env.lost:
        wrong("an episode that was lost has a reward")

    server.start()
    toolevo_env.HEADERS["Authorization"] = "Bearer another"
    try:
        kind().reset(**rows[0])
        wrong("the server takes any key")
    except toolevo_env.EnvironmentFailure:
        pass
    server.kill()
    print(f"package: {len(shown)} tools as the server has them; {len(episodes)} episodes, the server killed in each")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
