"""Tools that drift, as environments of TRL's GRPOTrainer: the client of `toolevo serve env`.

    url = "http://127.0.0.1:8000"
    trainer = answering(GRPOTrainer)(
        model, train_dataset=tasks(url), environment_factory=environment(url), reward_funcs=reward, ...)

The tools, the answers to calls and the rewards come from the server; none is written here. The model
is shown the tools of the prompt's version, as methods of a class made from them. Only the answers
tell which ones are deployed. A server's key is read from TOOLEVO_ENV_KEY.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import time
import urllib.error
import urllib.request
from collections import ChainMap
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from inspect import Parameter, Signature
from typing import Any, Literal, Union

from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

__version__ = "0.1.0"
__all__ = ["EnvironmentFailure", "ToolEvoEnv", "answering", "environment", "reward", "tasks"]

CHOICES = ("seed", "task_id", "dataset", "api")  # columns of a row that choose its episode
PATIENCE = 120  # seconds to wait for an answer, and for a server that is away
FINAL = (400, 401, 403, 409, 422)  # HTTP statuses that waiting does not change
HEADERS = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('TOOLEVO_ENV_KEY', '')}"}
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict, "null": None}


class EnvironmentFailure(RuntimeError):
    """The server failed. An episode lost to that counts neither for nor against the model."""


class _Away(EnvironmentFailure):
    """The server cannot be reached, is ending, or has no room: it may be back in a while."""


class ToolEvoEnv:
    """Plays one episode after the other at a server. [environment] derives classes with its tools."""

    _url = ""

    def __init__(self) -> None:
        self._socket: ClientConnection | None = None
        self._chosen: dict[str, Any] = {}  # what the episode was begun with
        self._asked = ""  # what the model was asked
        self.trace: list[dict[str, Any]] = []  # its turns: action, reward, and what the server observed
        self.done, self.lost = False, ""  # whether it is over; the failure that it was lost to

    def reset(self, **columns: Any) -> str:
        """Begins the episode that the columns of a row choose, and returns the question."""
        self._chosen = {name: columns[name] for name in CHOICES if columns.get(name) is not None}
        # Always a seed: without one the episode could not be played again on another connection.
        self._chosen.setdefault("seed", random.getrandbits(32))
        self.trace, self.done, self.lost = [], False, ""
        self._asked = self._ask("reset", self._chosen)["observation"]["text"]
        return self._asked

    def _act(self, action: dict[str, Any]) -> str:
        """Takes a turn, and returns what the model reads."""
        if self.done or self.lost:
            raise EnvironmentFailure(self.lost or "The task is over.")
        try:
            data = self._ask("step", action)
        except EnvironmentFailure as e:
            self.lost = str(e)
            raise
        self.done = data["done"]
        self.trace.append(_turn(action, data))
        return data["observation"]["result"]

    # As a mapping it has a tool of every name: [answering] looks tools up in it.
    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Callable[..., str]:
        return lambda **given: self._act({"type": "call_tool", "tool_name": name, "arguments": given})

    def _ask(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """Sends a message, and waits for a server that is away. A step on a new connection first
        replays the episode up to here: the same seed and actions give the same episode."""

        def attempt() -> dict[str, Any]:
            try:
                if self._socket is None and kind == "step":
                    self._play_again()
                return self._send(kind, data)
            except EnvironmentFailure:
                # What the server did with the message is unknown, so this connection is not used again.
                if self._socket is not None:
                    self._socket.close()
                self._socket = None
                raise

        return _retry(attempt)

    def _play_again(self) -> None:
        # A server that was restarted with other data or versions would continue another episode.
        same = self._send("reset", self._chosen)["observation"]["text"] == self._asked
        turns = (_turn(t["action"], self._send("step", t["action"])) for t in self.trace)
        if not same or any(again != t for again, t in zip(turns, self.trace, strict=True)):
            raise EnvironmentFailure(f"{self._url}: played again, the episode is another one: "
                                     "does the server serve what it served before?")

    def _send(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        try:
            if self._socket is None:
                url = re.sub("^http", "ws", self._url) + "/ws"
                self._socket = connect(url, additional_headers=HEADERS, max_size=None)
            self._socket.send(json.dumps({"type": kind, "data": data}))
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
        except (OSError, ValueError, WebSocketException) as e:
            final = isinstance(e, InvalidStatus) and e.response.status_code in FINAL
            raise (EnvironmentFailure if final else _Away)(f"{self._url}: {kind}: {e}") from None
        if answer["type"] == "error":
            away = answer["data"]["code"] in ("SESSION_ERROR", "CAPACITY_REACHED")
            raise (_Away if away else EnvironmentFailure)(f"{self._url}: {kind}: {answer['data']}")
        return answer["data"]


def _turn(action: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    return {"action": action, "reward": data["reward"], **data["observation"]}


def _retry(attempt: Callable[[], Any]) -> Any:
    """Repeats an attempt while the server is away, for up to PATIENCE seconds."""
    began, pause = time.monotonic(), 0.1
    while True:
        try:
            return attempt()
        except _Away as e:
            if time.monotonic() + pause - began > PATIENCE:
                raise
            if pause == 0.2:  # the second try: a short absence is not worth a warning
                logging.getLogger(__name__).warning("%s: waiting for up to %d s", e, PATIENCE)
        time.sleep(pause)
        pause = min(2 * pause, 5)


def environment(url: str, dataset: str = "") -> type[ToolEvoEnv]:
    """Makes an environment_factory: a class with a method for each tool in the server's prompts.

    Args:
        url: The server's address, as in "http://127.0.0.1:8000".
        dataset: Shows only the tools that serve the tasks of this dataset.
    """
    if dataset:
        shown = _http(f"{url}/reset", {"seed": 0, "dataset": dataset})["observation"]["functions"]
    else:
        shown = _http(f"{url}/step", {"action": {"type": "list_tools"}})["observation"]["tools"]
    return type("ToolEvoEnv", (ToolEvoEnv,), {tool["name"]: _method(tool) for tool in shown} | {"_url": url})


def _method(tool: dict[str, Any]) -> Callable[..., str]:
    """Makes the method of a tool. It passes any arguments on: the server says what is wrong with them."""
    parameters, lines = [], [_line(tool["description"]), "", "Args:"]
    required = tool["input_schema"].get("required", [])
    names = {}  # those of the server, by those that a model is shown
    for name, schema in tool["input_schema"].get("properties", {}).items():
        names[shown := _shown(name)] = name
        default = Parameter.empty if name in required else schema.get("default")
        parameter = Parameter("_", Parameter.KEYWORD_ONLY, default=default,
                              annotation=_hint(schema))
        # Parameter itself refuses keywords, such as "from".
        parameter._name = shown  # type: ignore[attr-defined]
        parameters.append(parameter)
        lines.append(f"    {shown}: {_line(schema.get('description') or name)}")

    def call(self: ToolEvoEnv, /, **arguments: Any) -> str:
        return self[tool["name"]](**{names.get(name, name): value
                                     for name, value in arguments.items()})

    # TRL and transformers read tools from names, docstrings and signatures.
    call.__name__, call.__doc__ = tool["name"], "\n".join(lines)
    itself = Parameter("self", Parameter.POSITIONAL_ONLY)
    call.__signature__ = Signature([itself, *parameters])  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call


def _shown(name: str) -> str:
    """Returns the name of a parameter as transformers can show it: it reads only words, and takes
    "self" for the object and "return" for the result."""
    word = re.sub(r"\W", "_", name)
    return word + "_" if word in ("self", "return") else word


def _line(text: str) -> str:
    """Returns the text in one line, without words that would begin a section of a docstring."""
    return re.sub(r"\b(Args|Returns|Raises|choices):", r"\1 -", " ".join(text.split()))


def _hint(schema: dict[str, Any]) -> Any:
    """Returns the Python type that a JSON Schema describes."""
    kind = schema.get("anyOf") or schema.get("type")
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if isinstance(kind, list):
        return Union[tuple(_hint(k if isinstance(k, dict) else schema | {"type": k}) for k in kind)]
    return list[_hint(schema["items"])] if kind == "array" and schema.get("items") else TYPES.get(kind, Any)


def tasks(url: str, dataset: str = "", api: str = "", system: str = "", seed: int = 0) -> Any:
    """Lists the server's tasks as a datasets.Dataset. The seed draws the version that each meets.

    Args:
        url: The server's address.
        dataset: Lists only the tasks of this dataset.
        api: The deployed version, or the family to draw from; by default all that are served.
        system: A text at the beginning of prompts. The question comes with reset.
        seed: Draws versions as the seed of `toolevo eval` does. With a new one for every pass over
            the tasks, a question meets other versions.
    """
    from datasets import Dataset

    prompt = [{"role": "system", "content": system}] * bool(system) + [{"role": "user", "content": ""}]
    return Dataset.from_list([
        {"prompt": prompt, "task_id": task["task_id"], "seed": seed, "api": api or None}
        for task in _http(f"{url}/tasks")["tasks"] if dataset in ("", task["dataset"])])


def reward(environments: list[ToolEvoEnv], **_: Any) -> list[float | None]:
    """A reward function: the sum of what the server gave in each episode. An episode without an answer
    ends here. Lost ones have no reward, and TRL leaves them out."""
    for e in environments:
        with suppress(EnvironmentFailure):
            e._act({"type": "text", "text": ""})  # silence; refused if the episode is over
    return [None if e.lost else sum(turn["reward"] or 0.0 for turn in e.trace) for e in environments]


def answering(trainer: type) -> type:
    """Derives a class of a trainer, such as GRPOTrainer, that passes calls of any name on. TRL's own
    rejects names that the environment's class has no method for, so calls of the new names in a
    notice would never reach the server."""
    class Answering(trainer):  # type: ignore[misc, valid-type]
        def _tool_call_loop(self, *args: Any, **kwargs: Any) -> Any:
            pairs = zip(self._sync_tool_dicts, self.environments, strict=True)
            self._sync_tool_dicts = [ChainMap(*pair) for pair in pairs]
            return super()._tool_call_loop(*args, **kwargs)

    return Answering


def _http(address: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    request = urllib.request.Request(address, json.dumps(body).encode() if body else None, HEADERS)

    def attempt() -> dict[str, Any]:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as e:
            said = f"{address}: {e}: {e.read().decode(errors='replace')}"
            raise (EnvironmentFailure if e.code in FINAL else _Away)(said) from None
        except (OSError, HTTPException, ValueError) as e:
            raise _Away(f"{address}: {e}: is serve env running?") from None

    return _retry(attempt)
