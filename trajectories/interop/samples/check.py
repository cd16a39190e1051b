"""Checks every sample of exports against the trees of their runs.

    check.py TOOLEVO DATA RUN… -- EXPORT_DIR…

Each export is of all these runs together. Of each sample it finds the nodes by its lineage: what is shown and trained
is what these nodes say, good and bad are what all trees of these runs make of the same call in the same state, nothing is
there twice, no unreadable action is trained where samples are single actions, and no question is one of another split.
Then it plants faults
in copies of the exports (plant.py), and has to find each. Exit 1 and a line for each fault when something is wrong.
"""

import json
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import plant
import trees

ALWAYS = {"run_id", "dataset", "difficulty", "split", "question_id", "tree", "node", "node_path", "count", "key",
          "prompt_api", "deployed_api", "turns", "deprecations", "recovered", "chars"}
STEP, PAIR = {"step"}, {"rejected_path", "rejected_tree"}
LINEAGE = {"sft-trajectory": ALWAYS, "openai": ALWAYS, "sft-step": ALWAYS | STEP, "kto": ALWAYS | STEP,
           "dpo": ALWAYS | STEP | PAIR, "reward": ALWAYS | PAIR}
SOMETIMES = {"origin", "labels", "makers", "tokens"}


def folded(question):
    """Questions with equal forms are the same question."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", question).casefold()).split())


class Faults:
    """What was found wrong, by kind."""

    def __init__(self):
        self.found = []

    def __call__(self, kind, message):
        self.found.append((kind, message))


def said(codec, node):
    """What a node's action is as a message: a call with its thought, or a text."""
    if codec == trees.REACT:
        return node["action"].strip()
    try:
        thought, *call = trees.read(codec, node["action"])
    except trees.Unreadable:
        return (trees.told(node["action"]) if codec == trees.TOOLS else node["action"]).strip()
    if codec == trees.TOOLS:  # no script reasons
        thought = trees.message(node["action"])[0]
    return thought, *call


def question_of(message):
    text = message["value"] if "from" in message else message["content"]
    return text.removeprefix("Question: ")


def reply(message, codec, trainer, complain):
    """A reply as said has it."""
    if "from" in message:
        if message["from"] == "function_call" and codec == trees.TOOLS:
            beside, _, call = message["value"].removesuffix("\n</tool_call>").partition("<tool_call>\n")
            return beside.removesuffix("\n"), *json.loads(call).values()
        return trees.read(codec, message["value"]) if message["from"] == "function_call" else message["value"].strip()
    if set(message) - {"role", "content", "tool_calls", "weight"} or message["role"] != "assistant":
        complain("message", f"a reply has other keys: {sorted(message)}")
    if "tool_calls" not in message:
        return message["content"].strip()
    calls = message["tool_calls"]
    if not calls or len(calls) != 1:
        complain("message", f"a reply has {len(calls or [])} calls")
        return None
    function = calls[0]["function"]
    arguments = function["arguments"]
    if isinstance(arguments, str) == (trainer == "trl"):
        complain("message", f"arguments are {type(arguments).__name__}, {trainer} encodes them again")
    return message["content"].strip(), function["name"], json.loads(arguments) if isinstance(arguments, str) else arguments


def observed(message):
    text = message.get("value", message.get("content"))
    return text if message.get("from", message.get("role")) in ("observation", "tool") else text.removeprefix("Observation: ")


def one(message):
    """LLaMA-Factory has a reply of a pair as a message, TRL as a list of one."""
    return message[0] if isinstance(message, list) else message


def shown(sample):
    """The messages that are read, and the replies that are learnt of beside them, by the column."""
    ends = {c: one(sample[c]) for c in ("completion", "chosen", "rejected") if c in sample}
    messages = sample.get("messages") or sample.get("prompt") or sample["conversations"]
    messages = [m for m in messages if m.get("role") != "system"]
    if not ends and "kto_tag" in sample:
        return messages[:-1], {"completion": messages[-1]}
    return messages, ends


class Export:
    """An export, and the checks of its samples."""

    def __init__(self, folder, runs, complain):
        self.folder, self.faults = Path(folder), complain
        self.about = self.document("manifest.json")
        self.format, self.trainer = self.about["format"], self.about["trainer"]
        self.runs = runs
        self.states = trees.together(tuple(self.runs.values()))
        self.labels = {}  # whether a call is good, by state and call
        self.chosen = {}  # of trajectories, by where they end: their paths
        self.unreadable = 0
        self.rows = []  # samples, each with its lineage
        self.known = []  # those whose lineage is whole, with the run and the path to the node

    def complain(self, kind, message):
        self.faults(kind, f"{self.folder.parent.name}/{self.folder.name}: {message}")

    def document(self, name):
        return trees.document((self.folder / name).read_text(encoding="utf-8"), name, self.complain)

    def lines(self, name):
        with (self.folder / name).open(encoding="utf-8") as file:
            return [trees.document(line, f"{name}:{i}", self.complain) for i, line in enumerate(file)]

    def read(self):
        names = [f["name"] for f in self.about["files"] if f["name"].endswith(".jsonl")]
        for name in names:
            if name.startswith("lineage"):
                continue
            lineage = self.lines("lineage_dev.jsonl" if name.endswith("_dev.jsonl") else "lineage.jsonl")
            samples = self.lines(name)
            if len(lineage) != len(samples):
                self.complain("lineage", f"{len(samples)} samples, {len(lineage)} lines of lineage")
            self.rows += [(f"{name}:{i}", *row) for i, row in enumerate(zip(samples, lineage))]
        return self

    def check(self):
        for name, sample, line in self.rows:
            want = LINEAGE[self.format]
            if not want <= set(line) <= want | SOMETIMES:
                self.complain("lineage", f"{name}: lacks {want - set(line)}, has besides {set(line) - want - SOMETIMES}")
                continue
            try:
                self.known.append((line, self.runs[line["run_id"]], self.path(line)))
                self.sample(name, sample, line)
            except (KeyError, IndexError, TypeError, trees.Unreadable) as error:
                self.complain("lineage", f"{name}: there is no such node: {error!r}")
        self.repeated()
        if self.about.get("unreadable_turns", 0) != self.unreadable:
            self.complain("count", f"{self.unreadable} turns are unreadable, not {self.about.get('unreadable_turns', 0)}")
        return self

    def path(self, line):
        return self.runs[line["run_id"]].path(line["question_id"], line["tree"], line["node"])

    def sample(self, name, sample, line):
        run, path = self.runs[line["run_id"]], self.path(line)
        self.lineage(name, run, line, path)
        messages, ends = shown(sample)
        step = line.get("step", 1 if self.format == "reward" else len(path))
        wrong = self.context(name, run, messages, line, path[:step])
        if "step" in line and not ends:  # a whole conversation of LLaMA-Factory's, of which the end is trained
            messages, ends = messages[:-1], {"completion": messages[-1]}
        if self.format == "reward":
            return self.transcripts(name, run, line, path, ends)
        if self.format in ("sft-trajectory", "openai"):
            return self.trajectory(name, run, line, path, messages)
        self.step(name, run, line, path, ends, sample.get("label", sample.get("kto_tag", True)))

    def lineage(self, name, run, line, path):
        """What the lineage says of the trajectory is what the tree says."""
        turns = path[1:]
        question = run.questions[line["question_id"]]
        met = [i for i, n in enumerate(turns) if n["outcome"] == "deprecated"]
        after = [any(n["tool"] == turns[i]["tool"] and n["outcome"] == "ok" for n in turns[i + 1:]) for i in met]
        want = {"node_path": ".".join(str(n["ordinal"]) for n in path), "turns": len(turns), "deprecations": len(met),
                "recovered": sum(after), "dataset": question["dataset"], "difficulty": question["difficulty"],
                "split": question["split"]}
        for key, value in want.items():
            if line[key] != value:
                self.complain("lineage", f"{name}: {key} is {line[key]}, the tree says {value}")
        if self.about["selection"]["require_recovery"] and not (met and after[-1] and all(after)):
            self.complain("recovery", f"{name}: {len(met)} deprecations, {sum(after)} recovered from, the last "
                          f"{'is' if after and after[-1] else 'is not'}")

    def context(self, name, run, messages, line, path):
        """The messages before the last action are the question and the turns of the path."""
        question = run.questions[line["question_id"]]["question"]
        if question_of(messages[0]) != question:
            self.complain("text", f"{name}: asks {question_of(messages[0])!r}, the run {question!r}")
        for i, node in enumerate(path[1:]):
            got = reply(messages[1 + 2 * i], run.codec, self.trainer, self.complain)
            if got != said(run.codec, node):
                self.complain("text", f"{name}: turn {i + 1} is {got!r}, the tree has {said(run.codec, node)!r}")
            if 2 + 2 * i < len(messages) and observed(messages[2 + 2 * i]) != node["observation"]:
                self.complain("text", f"{name}: observation {i + 1} is {messages[2 + 2 * i]!r}, not {node['observation']!r}")

    def good(self, name, run, line, path, step):
        """An action that is trained as good leads to an accepted answer, and can be read."""
        if not path[-1]["strict"]:
            self.complain("good", f"{name}: the trajectory is not accepted")
        if path[step]["cut"]:
            self.complain("good", f"{name}: the completion was cut")

    def readable(self, name, run, node):
        try:
            trees.read(run.codec, node["action"])
            return True
        except trees.Unreadable:
            return False

    def bad(self, name, run, line, path, step):
        """A rejected action failed, and nowhere succeeds in its state."""
        key = self.states.after(run, line["question_id"], path[:step]), trees.call_of(run.codec, path[step]["action"])
        if trees.right(path[-1]) or path[-1]["status"] == "running":
            self.complain("bad", f"{name}: what is rejected did not fail")
        if key in self.states.succeeds:
            self.complain("bad", f"{name}: what is rejected succeeds elsewhere: {key[1]}")
        if key not in self.states.fails:
            self.complain("bad", f"{name}: what is rejected never failed")
        if path[step]["cut"]:
            self.complain("bad", f"{name}: the completion was cut by our limit")

    def label(self, name, run, line, path, step, is_good):
        key = self.states.after(run, line["question_id"], path[:step]), trees.call_of(run.codec, path[step]["action"])
        if self.labels.setdefault(key, is_good) != is_good:
            self.complain("both", f"{name}: {key[1]} is good and bad in one state")
        return key

    def trajectory(self, name, run, line, path, messages):
        self.good(name, run, line, path, 1)
        if len(messages) != 2 * (len(path) - 1):
            self.complain("text", f"{name}: {len(messages)} messages of {len(path) - 1} turns")
        for node, message in zip(path[1:], messages[1::2]):
            if node["cut"]:
                self.complain("good", f"{name}: a completion was cut")
            weightless = message.get("weight") == 0
            unreadable = not self.readable(name, run, node)
            if self.format == "openai" and unreadable != weightless:
                self.complain("unreadable", f"{name}: {'' if weightless else 'no '}weight 0: {node['action']!r}")
            self.unreadable += unreadable and self.format != "openai"
            if unreadable and self.about["selection"].get("max_faulty") == 0:
                self.complain("unreadable", f"{name}: {node['action']!r}")
        self.chosen[line["run_id"], line["question_id"], line["tree"], line["node"]] = path

    def step(self, name, run, line, path, ends, is_good):
        step = line["step"]
        better = ends.get("completion", ends.get("chosen"))
        self.label(name, run, line, path, step, is_good)
        if reply(better, run.codec, self.trainer, self.complain) != said(run.codec, path[step]):
            self.complain("text", f"{name}: trains {better!r}, the tree has {path[step]['action']!r}")
        if not is_good:
            return self.bad(name, run, line, path, step)
        self.good(name, run, line, path, step)
        if not self.readable(name, run, path[step]):
            self.complain("unreadable", f"{name}: {path[step]['action']!r}")
        if "rejected" not in ends:
            return
        other = run.at(line["question_id"], line["rejected_tree"], line["rejected_path"])
        if reply(ends["rejected"], run.codec, self.trainer, self.complain) != said(run.codec, other[step]):
            self.complain("text", f"{name}: rejects {ends['rejected']!r}, the tree has {other[step]['action']!r}")
        self.bad(name, run, line, other, step)
        if self.label(name, run, line, other, step, False)[0] != self.label(name, run, line, path, step, True)[0]:
            self.complain("bad", f"{name}: the two actions are of different states")

    def transcripts(self, name, run, line, path, ends):
        self.good(name, run, line, path, 1)
        other = run.at(line["question_id"], line["rejected_tree"], line["rejected_path"])
        if trees.right(other[-1]) or other[-1]["status"] == "running":
            self.complain("bad", f"{name}: the transcript that is rejected did not fail")
        for column, nodes in (("chosen", path), ("rejected", other)):
            text = ends[column].get("value", ends[column].get("content"))
            at = 0
            for node in nodes[1:]:
                parts = [node["observation"]] if node is not nodes[-1] else []
                heard = said(run.codec, node)
                words = trees.without_reasoning(heard) if isinstance(heard, str) else heard[:2]
                parts = [word.strip() for word in words] + parts
                for part in parts:
                    at = text.find(part, at)
                    if at < 0:
                        return self.complain("text", f"{name}: {column} has not {part!r}")
                    at += len(part)

    def repeated(self):
        """Nothing is there twice."""
        seen = Counter(json.dumps(sample, sort_keys=True) for _, sample, _ in self.rows)
        for sample, count in seen.items():
            if count > 1:
                self.complain("duplicate", f"{count} times: {sample[-200:]}")


def words(run, question, path):
    """A sample of a single action, as its texts."""
    return question, tuple((n["action"], n["observation"]) for n in path[1:-1]), path[-1]["action"]


def every_step(export, whole):
    """Single actions are those of the trajectories exported whole, each once, with how many nodes of theirs have it."""
    nodes = {(key[:3], node["node"]): (key, path, i) for key, path in whole.chosen.items() for i, node in enumerate(path) if i}
    want = Counter()
    for (run, question, *_), path, i in nodes.values():
        if whole.readable("", whole.runs[run], path[i]):
            want[words(run, question, path[:i + 1])] += 1
    got = Counter()
    for line, run, path in export.known:
        got[words(run, line["question_id"], path[:line["step"] + 1])] += line["count"]
    for key in want.keys() | got.keys():
        if want[key] != got[key]:
            export.complain("count", f"the trees have it {want[key]} times, the lineage says {got[key]}: {key[2]!r}")


def selected(export):
    """What exports of the same trajectories have in common."""
    return export.trainer, json.dumps(export.about["selection"], sort_keys=True)


def splits(data):
    """The questions of each split of a data folder, in the form in which equal ones are equal."""
    texts = {split.name: [file.read_text(encoding="utf-8") for file in split.glob("*.jsonl")]
             for split in (Path(data) / "questions").iterdir() if split.is_dir()}
    return {split: {folded(json.loads(line)["question"]) for text in files for line in text.splitlines()}
            for split, files in texts.items()}


def check(runs, folders, asked):
    """The faults of some exports of questions of the train split."""
    faults = Faults()
    exports = [Export(folder, runs, faults).read().check() for folder in folders]
    others = {q for split, questions in asked.items() if split != "train" for q in questions}
    for export in exports:
        for name, sample, _ in export.rows:
            if folded(question_of(shown(sample)[0][0])) in others:
                export.complain("split", f"{name}: the question is one of another split")
        for whole in exports:
            if export.format == "sft-step" and whole.format == "sft-trajectory" and selected(whole) == selected(export):
                every_step(export, whole)
    keys = {}  # of the actions in order: equal ones have equal keys, others do not
    for export in exports:
        for line, _, path in export.known:
            did = tuple(node["key"] for node in path[1:])
            if keys.setdefault(did, line["key"]) != line["key"] or keys.setdefault(line["key"], did) != did:
                export.complain("lineage", f"node {line['node']}: the key is not that of its actions")
    return faults.found


def load(toolevo, folders):
    """The runs by their IDs, and what is wrong with what inspect prints of them."""
    faults = Faults()
    return {run.id: run for run in (trees.Run(toolevo, folder, faults) for folder in folders)}, faults.found


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 5 or "--" not in arguments:
        print(__doc__, file=sys.stderr)
        return 2
    end = arguments.index("--")
    toolevo, data, *folders = arguments[:end]
    exports = arguments[end + 1:]
    asked = splits(data)
    runs, faults = load(toolevo, folders)
    # Of the data folder itself: exports hold a few of its questions.
    if both := asked["train"] & (asked["test"] | asked["dev"]):
        faults.append(("split", f"{len(both)} questions are asked in two splits: {min(both)!r}"))
    faults += check(runs, exports, asked)
    for kind, message in faults[:20]:
        print(f"samples: {kind}: {message[:600]}", file=sys.stderr)
    nodes = sum(len(n) for run in runs.values() for n in run.trees.values())
    rows = sum(json.loads((Path(e) / "manifest.json").read_text())["rows"] for e in exports)
    print(f"samples: {rows} samples of {len(exports)} exports against {nodes} nodes of {len(runs)} runs: {len(faults)} faults")
    for fault in plant.faults(runs, exports, asked, check):
        print(f"samples: nobody complains of a planted fault: {fault}", file=sys.stderr)
        faults.append(("planted", fault))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
