"""The trees of a run, as `toolevo inspect --json` prints them, and what an independent reader makes of them.

Actions are read here by the rules that the README, the data card and the package comments state, with Python's own JSON
parser: nothing of toolevo's own reading is asked, but to compare.
"""

import functools
import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

WHOLE = 2**53  # a reader of doubles knows every whole number up to here
REACT, CALLS, TOOLS = "react", "function-call", "tools"


class Unreadable(Exception):
    """From this text no action can be read."""


def document(text, where, complain):
    """A JSON document, in which no number is too large for a reader of doubles."""

    def whole(digits):
        if abs(int(digits)) > WHOLE:
            complain("number", f"{where}: {digits} is a JSON number above 2^53")
        return int(digits)

    return json.loads(text, parse_int=whole)


def without_reasoning(text):
    """The text behind <think>…</think>, if it begins so, and what stands between the tags."""
    if not text.lstrip().startswith("<think>"):
        return "", text
    reasoning, found, rest = text.lstrip().removeprefix("<think>").partition("</think>")
    return (reasoning.strip(), rest) if found else ("", text)


def object_at(text, start):
    """The JSON object that begins at a brace, as Python reads it."""
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error
    return value


def message(text):
    """What a message says, and its calls. A text that is none says itself."""
    try:
        said = json.loads(text)
        if said.keys() & {"content", "calls"}:
            return said.get("content", ""), said.get("calls", [])
    except (ValueError, AttributeError):
        pass
    return text, []


def told(text):
    """A message without a call that can be played, as later prompts have it: its calls are text, too."""
    said, calls = message(text)
    lines = [said] * bool(said)
    for call in calls:
        arguments = call.get("arguments")
        if isinstance(arguments, str):
            try:
                json.loads(arguments)
            except ValueError:
                arguments = json.dumps(arguments, ensure_ascii=False)
        else:
            arguments = json.dumps(arguments, ensure_ascii=False)
        lines.append(f'{{"name": {json.dumps(call.get("name", ""), ensure_ascii=False)}, "arguments": {arguments}}}')
    return "\n".join(lines)


def read(codec, text):
    """What an action says: the thought, the tool's name and its arguments. Raises Unreadable."""
    reasoning, content = without_reasoning(text)
    if codec == TOOLS:
        said, calls = message(content)
        call = calls[0] if calls else {}
        if not re.fullmatch("[A-Za-z0-9_-]{1,64}", call.get("name", "")) or not isinstance(call.get("arguments"), dict):
            raise Unreadable("no call, or one that cannot be sent")
        return reasoning, call["name"], call["arguments"]
    if codec == CALLS:
        start = content.find("{")
        if start < 0:
            raise Unreadable("no object")
        call = object_at(content, start)
        arguments = call.get("arguments", call.get("parameters"))
        if isinstance(arguments, str):
            arguments = object_at(arguments, max(arguments.find("{"), 0))
        if not isinstance(call.get("name"), str) or not call["name"] or not isinstance(arguments, dict):
            raise Unreadable("no name, or no arguments")
        return reasoning, call["name"], arguments
    _, found, rest = content.partition("Action:")
    name, also, _ = rest.partition("Action Input")
    if not found or not also or not name.strip():
        raise Unreadable("no name")
    begin = content.find("Action Input:")
    while begin >= 0 and not content[begin + len("Action Input:"):].lstrip().startswith("{"):
        begin = content.find("Action Input:", begin + 1)
    if begin < 0:
        raise Unreadable("no input")
    brace = content.index("{", begin)
    if content[brace:brace + 2] == "{}":
        raise Unreadable("an empty input")
    return "", name.strip(), object_at(content, brace)


def call_of(codec, text):
    """What the action does, so that equal calls are equal: an unreadable one is what it says."""
    try:
        _, name, arguments = read(codec, text)
        return name, json.dumps(arguments, sort_keys=True)
    except Unreadable:
        return None, without_reasoning(text)[1].strip()


class Run:
    """A run of collect: its questions, and the nodes of all their trees by question and tree."""

    def __init__(self, toolevo, folder, complain):
        self.folder, self.complain, self.toolevo = folder, complain, toolevo
        about = self.inspect()
        self.id = about["run"]["id"]
        self.questions, self.trees = {}, {}
        with ThreadPoolExecutor() as pool:
            for question in pool.map(self.inspect, [q["question_id"] for q in about["questions"]]):
                self.questions[question["question_id"]] = question
            places = [(q["question_id"], t["tree"]) for q in self.questions.values() for t in q["trees"]]
            for place, tree in zip(places, pool.map(lambda p: self.inspect(*p), places)):
                self.trees[place] = tree["nodes"]
                if not isinstance(tree["tree_seed"], str):
                    complain("number", f"{folder}: the seed of tree {place} is no text")
        actions = [n["action"] for nodes in self.trees.values() for n in nodes[1:]]
        marks = {REACT: "Action:", TOOLS: '"calls": [', CALLS: ""}
        self.codec = next(codec for codec, mark in marks.items() if sum(mark in a for a in actions) * 2 > len(actions))

    def inspect(self, *place):
        command = [self.toolevo, "inspect", self.folder, *map(str, place), "--json"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return document(printed, " ".join(command[1:]), self.complain)

    def path(self, question, tree, node):
        """The nodes from the root to a node."""
        nodes = self.trees[question, tree]
        back = []
        while node >= 0:
            back.append(nodes[node])
            node = nodes[node]["parent"]
        return back[::-1]

    def at(self, question, tree, node_path):
        """The nodes on a path of ordinals, e.g. 0.1.0."""
        nodes = self.trees[question, tree]
        found, ordinals = [nodes[0]], [int(o) for o in node_path.split(".")]
        if ordinals[0] != nodes[0]["ordinal"]:
            raise KeyError(node_path)
        for ordinal in ordinals[1:]:
            here = [n for n in nodes if n["parent"] == found[-1]["node"] and n["ordinal"] == ordinal]
            found.append(here[0])
        return found


def right(node):
    return node["official"] or node["strict"]


class States:
    """What succeeds and what fails in each state: after the same calls and observations, in whatever tree of these runs."""

    def __init__(self, runs):
        self.numbers = {}  # of states, by the one before, the call and its observation
        self.succeeds, self.fails = set(), set()
        for run in runs:
            for (question, _), nodes in run.trees.items():
                self.add(run, question, nodes)

    def number(self, key):
        return self.numbers.setdefault(key, len(self.numbers))

    def after(self, run, question, path):
        """The state in which the last node of a path leaves a question."""
        state = self.number(run.questions[question]["question"])
        for node in path[1:]:
            state = self.number((state, call_of(run.codec, node["action"]), node["observation"]))
        return state

    def add(self, run, question, nodes):
        states = [self.number(run.questions[question]["question"])]
        calls = [None]
        for node in nodes[1:]:
            calls.append(call_of(run.codec, node["action"]))
            states.append(self.number((states[node["parent"]], calls[-1], node["observation"])))
        for node in nodes:
            if node["status"] == "running":
                continue
            ends, here = self.succeeds if right(node) else self.fails, node
            while here["parent"] >= 0:
                ends.add((states[here["parent"]], calls[here["node"]]))
                here = nodes[here["parent"]]


@functools.cache
def together(runs):
    """The states of runs that are exported together, made once."""
    return States(runs)
