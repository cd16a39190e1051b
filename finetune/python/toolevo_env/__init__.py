"""Tools that drift, as environments of TRL's GRPOTrainer: the client of `toolevo serve env`.

    url = "http://127.0.0.1:8000"
    trainer = answering(GRPOTrainer)(
        model, train_dataset=tasks(url), environment_factory=environment(url), reward_funcs=reward, ...)

The tools, the answers to calls and the rewards are the server's: nothing of them is written here. The model is shown
the tools of the prompt's version, as methods of a class that is made of them. Which ones are deployed, answers tell.
The key of a server that wants one is read from TOOLEVO_ENV_KEY.
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
PATIENCE = 120  # seconds that an answer may take, and that a server that is away is waited for
FINAL = (400, 401, 403, 409, 422)  # HTTP statuses that waiting does not change
HEADERS = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('TOOLEVO_ENV_KEY', '')}"}
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict, "null": None}


class EnvironmentFailure(RuntimeError):
    """The server failed. An episode that is lost to that counts neither for nor against the model."""


class _Away(EnvironmentFailure):
    """The server cannot be reached, ends, or has no room: in a while it may be there."""


class ToolEvoEnv:
    """One episode after the other at a server. Classes with its tools are derived by [environment]."""

    _url = ""

    def __init__(self) -> None:
        self._socket: ClientConnection | None = None
        self._chosen: dict[str, Any] = {}  # what the episode was begun with
        self._asked = ""  # what the model was asked
        self.trace: list[dict[str, Any]] = []  # its turns: action, reward, and what the server observed
        self.done, self.lost = False, ""  # whether it is over; the failure that it was lost to

    def reset(self, **columns: Any) -> str:
        """Begins the episode that the columns of a row choose, and returns what the model is asked."""
        self._chosen = {name: columns[name] for name in CHOICES if columns.get(name) is not None}
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

    def __contains__(self, name: object) -> bool:  # for answering
        return True

    def __getitem__(self, name: str) -> Callable[..., str]:  # what calls a tool, of whatever name
        return lambda **given: self._act({"type": "call_tool", "tool_name": name, "arguments": given})

    def _ask(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """Sends a message, and waits for a server that is away. A step on a new connection plays
        the episode up to here again: the same seed and actions give the same episode."""
        def attempt() -> dict[str, Any]:
            try:
                if self._socket is None and kind == "step":
                    self._play_again()
                return self._send(kind, data)
            except EnvironmentFailure:
                if self._socket is not None:
                    self._socket.close()
                self._socket = None
                raise

        return _patiently(attempt)

    def _play_again(self) -> None:
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
        except (OSError, WebSocketException) as e:
            final = isinstance(e, InvalidStatus) and e.response.status_code in FINAL
            raise (EnvironmentFailure if final else _Away)(f"{self._url}: {kind}: {e}") from None
        if answer["type"] == "error":
            away = answer["data"]["code"] in ("SESSION_ERROR", "CAPACITY_REACHED")
            raise (_Away if away else EnvironmentFailure)(f"{self._url}: {kind}: {answer['data']}")
        return answer["data"]


def _turn(action: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    return {"action": action, "reward": data["reward"], **data["observation"]}


def _patiently(attempt: Callable[[], Any]) -> Any:
    """Attempts something until the server is there, for PATIENCE."""
    began, pause = time.monotonic(), 0.1
    while True:
        try:
            return attempt()
        except _Away as e:
            if time.monotonic() + pause - began > PATIENCE:
                raise
            if pause == 0.2:  # it was not there at once
                logging.getLogger(__name__).warning("%s: waiting for up to %d s", e, PATIENCE)
        time.sleep(pause)
        pause = min(2 * pause, 5)


def environment(url: str, dataset: str = "") -> type[ToolEvoEnv]:
    """Makes an environment_factory: a class with a method for each tool that the server's prompts show.

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
    """Makes the method of a tool. It takes whatever it is given: the server says what is wrong with arguments."""
    parameters, lines = [], [_line(tool["description"]), "", "Args:"]
    required = tool["input_schema"].get("required", [])
    for name, schema in tool["input_schema"].get("properties", {}).items():
        default = Parameter.empty if name in required else schema.get("default")
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_hint(schema)))
        lines.append(f"    {name}: {_line(schema.get('description') or name)}")

    def call(self: ToolEvoEnv, **arguments: Any) -> str:
        return self[tool["name"]](**arguments)

    call.__name__, call.__doc__ = tool["name"], "\n".join(lines)
    itself = Parameter("self", Parameter.POSITIONAL_ONLY)
    call.__signature__ = Signature([itself, *parameters])  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call


def _line(text: str) -> str:
    """The text in one line, without the words that begin a part of a docstring."""
    return re.sub(r"\b(Args|Returns|Raises|choices):", r"\1 -", " ".join(text.split()))


def _hint(schema: dict[str, Any]) -> Any:
    """The Python type of what a JSON Schema describes."""
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
        api: The version that is deployed, or the family of versions to draw from; by default all that are served.
        system: A text to begin prompts with. The question comes with reset.
        seed: Draws versions as the seed of `toolevo eval` does. With another one for every pass
            over the tasks, a question meets other versions.
    """
    from datasets import Dataset

    prompt = [{"role": "system", "content": system}] * bool(system) + [{"role": "user", "content": ""}]
    return Dataset.from_list([
        {"prompt": prompt, "task_id": task["task_id"], "seed": seed, "api": api or None}
        for task in _http(f"{url}/tasks")["tasks"] if dataset in ("", task["dataset"])])


def reward(environments: list[ToolEvoEnv], **_: Any) -> list[float | None]:
    """A reward function: what the server gave in each episode, in all. One in which the model has not answered ends
    here. TRL leaves out what has no reward: the episodes that were lost."""
    for e in environments:
        with suppress(EnvironmentFailure):
            e._act({"type": "text", "text": ""})  # it has no more to say
    return [None if e.lost else sum(turn["reward"] or 0.0 for turn in e.trace) for e in environments]


def answering(trainer: type) -> type:
    """Derives a class of a trainer, such as GRPOTrainer, that passes on calls of any name. TRL's own refuse names that
    the environment's class has no method for, so that no call of what a notice names would reach the server."""
    class Answering(trainer):  # type: ignore[misc, valid-type]
        def _tool_call_loop(self, *args: Any, **kwargs: Any) -> Any:
            self._sync_tool_dicts = [ChainMap(*of) for of in zip(self._sync_tool_dicts, self.environments, strict=True)]
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
        except (OSError, HTTPException) as e:
            raise _Away(f"{address}: {e}: is serve env running?") from None

    return _patiently(attempt)
