"""Checks what the package toolevo_env promises, at a server that is killed while episodes are played.

    package.py TOOLEVO EPISODES.jsonl FLAG…

TOOLEVO with the flags is the command of a server, EPISODES.jsonl what `toolevo eval` wrote about its
tasks. A model must be shown the tools as the server describes them. The episodes must get the rewards
of the evaluation, although the server is killed and restarted in each of them, or a proxy spoils
connections; without a server an episode is lost, and has no reward. Without its key the server does
nothing. Exit 1 and a line for each difference if something is wrong.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from http import HTTPStatus
from pathlib import Path
from urllib.request import urlopen

os.environ["TOOLEVO_ENV_KEY"] = "the key"  # before the package is imported, and for the server

from transformers.utils import get_json_schema  # noqa: E402
from websockets.sync.client import connect  # noqa: E402
from websockets.sync.server import serve  # noqa: E402

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


class Proxy:
    """Spoils connections to a server: answers some with 404 or 503, and cuts the others off after a
    number of answers, which grows."""

    def __init__(self, server):
        self.server, self.connections = server, 0
        proxy = serve(self.relay, "127.0.0.1", 0, process_request=self.refuse)
        self.url = "http://127.0.0.1:%d" % proxy.socket.getsockname()[1]
        threading.Thread(target=proxy.serve_forever, daemon=True).start()

    def refuse(self, client, request):
        self.connections += 1
        if self.connections % 3:
            status = [HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE][self.connections % 2]
            return client.respond(status, "spoiled")

    def relay(self, client):
        with connect(f"ws://{self.server.at}/ws", additional_headers=toolevo_env.HEADERS, max_size=None) as upstream:
            for _ in range(3 + self.connections // 3):  # each time one answer more comes through
                upstream.send(client.recv())
                client.send(upstream.recv())
            upstream.send(client.recv())  # the turn is taken, and nobody is told
            upstream.recv()
        client.socket.shutdown(socket.SHUT_RDWR)


def check_shown(tool, method):
    """Checks that transformers shows a model a method as the server describes the tool."""
    got = get_json_schema(method)["function"]
    want = json.loads(json.dumps(tool["input_schema"]))
    for name, schema in want.get("properties", {}).items():
        schema["description"] = " ".join(schema.get("description", name).split())
        schema["description"] = schema["description"].replace("Returns:", "Returns -").replace("Args:", "Args -")
        if isinstance(schema.get("type"), list):
            schema["type"].sort()
    if got["name"] != tool["name"] or got["description"] != tool["description"] or got["parameters"] != want:
        wrong(f"a model is shown {got}, and the server says {tool}")


def check_names():
    """Checks that a parameter may have any name: a model is shown it, or one like it that
    transformers reads, and calls by either reach the server under its own."""
    names = {"from": "from", "class": "class", "3d": "3d", "größe": "größe", "X-Key": "X_Key",
             "page[size]": "page_size_", "self": "self_", "return": "return_"}
    tool = {"name": "f", "description": "Does it.", "input_schema": {
        "type": "object", "properties": {name: {"type": "string"} for name in names},
        "required": list(names)}}
    kind = type("Named", (toolevo_env.ToolEvoEnv,), {"f": toolevo_env._method(tool)})
    kind.__getitem__ = lambda self, name: lambda **arguments: arguments
    got = get_json_schema(kind().f)["function"]["parameters"]
    want = {shown: {"type": "string", "description": name} for name, shown in names.items()}
    if got["properties"] != want or got["required"] != list(want):
        wrong(f"a model is shown {got}, want {want}")
    for called in names.values(), names:
        got = kind().f(**{name: name for name in called})
        if got != dict(zip(names, called)):
            wrong(f"calls with {list(called)} reach the server as {got}")


def play(server, env, episode):
    """Plays an episode. The server, if there is one, is killed in the middle."""
    env.reset(task_id=episode["question_id"], api=episode["deployed_api"], seed=0)
    for i, turn in enumerate(episode["turns"]):
        if server and i == len(episode["turns"]) // 2:
            server.kill()
            threading.Timer(i % 2, server.start).start()
        arguments = json.loads(turn["action"].rsplit("\nAction Input: ", 1)[1])
        if (got := env[turn["api"]](**arguments)) != turn["observation"]:
            wrong(f"{episode['question_id']}: turn {i}: {got!r}, want {turn['observation']!r}")
    got, want = toolevo_env.reward([env]), [1 if episode["strict"] else 0]
    if got != want or not env.done:
        wrong(f"{episode['question_id']}: rewarded with {got}, want {want}")


def check_absences(server, rows):
    """Checks that a server that comes back is waited for, and that one that does not, or comes back
    with other answers, costs the episode."""
    server.kill()
    threading.Timer(1, server.start).start()
    env = toolevo_env.environment(server.url)()
    env.reset(**rows[0])
    server.kill()
    threading.Timer(1, server.start).start()
    env.reset(**rows[0])
    env["LoadDB"](DBName="coffee")
    server.process.terminate()  # lets the episode end, for ten seconds
    env["LoadDB"](DBName="coffee")
    server.process.wait()
    threading.Timer(1, server.start).start()
    if env["LoadDB"](DBName="coffee") != env.trace[0]["result"] or len(env.trace) != 3:
        wrong(f"after three absences: {env.trace}")

    env.trace[0]["result"] = "what another server said"
    server.kill()
    server.start()
    check_lost(env, "an episode that came out otherwise")

    env.reset(**rows[0])
    server.kill()
    toolevo_env.PATIENCE = 2
    check_lost(env, "an episode without a server")
    server.start()


def check_lost(env, what):
    try:
        env["Finish"](answer="1")
        wrong(f"{what} goes on")
    except toolevo_env.EnvironmentFailure:
        pass
    if toolevo_env.reward([env]) != [None] or not env.lost:
        wrong(f"{what} has a reward")


def check_seeds(command):
    """Checks that a task meets all versions that are served, by the seed of the rows."""
    server = Server([*command, "--api", "p_c,p_s_in"])
    server.start()
    env, outcomes = toolevo_env.environment(server.url)(), set()
    for seed in range(8):
        rows = toolevo_env.tasks(server.url, seed=seed)
        env.reset(**rows[0])
        env["LoadDB"](DBName="coffee")
        outcomes.add(env.trace[0]["outcome"])
    if outcomes != {"ok", "deprecated"}:
        wrong(f"whatever the seed, a question meets {outcomes}")
    server.kill()


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
    check_names()

    rows = toolevo_env.tasks(server.url)
    if not {e["question_id"] for e in episodes} <= set(rows["task_id"]):
        wrong("not all tasks are listed")

    env = kind()
    for episode in episodes:
        play(server, env, episode)
    spoiled = type("Spoiled", (kind,), {"_url": Proxy(server).url})()
    for episode in episodes:
        play(None, spoiled, episode)
    env.reset(**rows[0])
    if toolevo_env.reward([env]) != [0]:
        wrong("an episode without an answer is not worth 0")

    check_absences(server, rows)
    check_seeds([toolevo, "serve", "env", *flags])
    toolevo_env.HEADERS["Authorization"] = "Bearer another"
    try:
        kind().reset(**rows[0])
        wrong("the server takes any key")
    except toolevo_env.EnvironmentFailure:
        pass
    server.kill()
    print(f"package: {len(shown)} tools as the server has them; {len(episodes)} episodes, the server killed in each, "
          "and as many behind a proxy that spoils connections")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
