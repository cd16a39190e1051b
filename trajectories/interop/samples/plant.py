"""Faults that are planted in a copy of an export, each to be found: a reader that accepts everything proves nothing."""

import json
import shutil
import tempfile
from pathlib import Path


def rows(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write(file, lines):
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def swap(samples, _):
    samples[0]["chosen"], samples[0]["rejected"] = samples[0]["rejected"], samples[0]["chosen"]


def swap_trees(samples, lines):
    """The pair the other way round, in its lineage, too: only the trees know that it is wrong."""
    swap(samples, lines)
    line = lines[0]
    line["node_path"], line["rejected_path"] = line["rejected_path"], line["node_path"]
    line["tree"], line["rejected_tree"] = line["rejected_tree"], line["tree"]


def flip(to):
    def change(samples, _):
        tag = "label" if "label" in samples[0] else "kto_tag"
        next(s for s in samples if s[tag] is not to)[tag] = to
    return change


def twice(samples, lines):
    samples.append(samples[0])
    lines.append(lines[0])


def drop(samples, lines):
    del samples[0], lines[0]


def shift(_, lines):
    lines.insert(0, lines.pop())


def put(key, value):
    def change(_, lines):
        lines[0][key] = value(lines[0].get(key))
    return change


def borrow(key):
    """The value of the next line that has another."""
    def change(_, lines):
        lines[0][key] = next(line[key] for line in lines if line[key] != lines[0][key])
    return change


def lose(key):
    return lambda _, lines: lines[0].pop(key)


def edit(old, new):
    """Other words in the last sample that has them."""
    def change(samples, _):
        i = max(i for i, s in enumerate(samples) if old in json.dumps(s))
        samples[i] = json.loads(json.dumps(samples[i]).replace(old, new))
    return change


def unreadable(samples, _):
    """The weight of a turn that cannot be read."""
    next(m for s in samples for m in s["messages"] if m.get("weight") == 0)["weight"] = 1


def test_question(asked):
    def change(samples, _):
        messages = samples[0].get("messages") or samples[0].get("prompt") or samples[0]["conversations"]
        for message in messages:
            if message.get("from", message.get("role")) in ("human", "user"):
                message["value" if "from" in message else "content"] = "Question: \u2003" + min(asked["test"]).upper()
                return
    return change


def plans(asked):
    """The faults by format: what is done, and of which kind the complaint is, or what it says; None is any."""
    test = [("a question of the test split in capitals", test_question(asked), "split")]
    everywhere = test + [
        ("a sample twice", twice, "duplicate"), ("lineage of other samples", shift, None),
        ("no tree in the lineage", lose("tree"), "lineage"), ("another count of turns", put("turns", lambda n: n + 1), "lineage"),
        ("another count of deprecations", put("deprecations", lambda n: n + 1), "lineage"),
        ("another's key", borrow("key"), "lineage"), ("a node that is not there", put("node", lambda _: 10**6), "lineage"),
        ("a number above 2^53", put("chars", lambda _: 2**53 + 1), "number"),
        ("other words of a reply", edit("I call", "I cull"), "text"),
    ]
    steps = [("another step", put("step", lambda n: n + 1), None)]
    pairs = [("chosen and rejected swapped", swap, "text"), ("so in the lineage, too", swap_trees, None),
             ("no rejected_tree", lose("rejected_tree"), "lineage")]
    return {
        "sft-trajectory": everywhere, "openai": everywhere + [("a turn trained that cannot be read", unreadable, "unreadable")],
        "sft-step": everywhere + steps + [("a step left out", drop, "count"), ("another count", put("count", lambda n: n + 1), "count")],
        "kto": everywhere + steps + [("a failure as good", flip(True), "good"), ("a success as bad", flip(False), "succeeds elsewhere")],
        "dpo": everywhere + steps + pairs, "reward": everywhere + pairs,
    }


def unheard(runs, exports, asked, check, export, change, kind):
    """Whether check finds no new fault of a kind once something has been changed."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / export.parent.name / export.name
        shutil.copytree(export, folder)
        samples = next(f for f in sorted(folder.glob("*.jsonl")) if not f.name.startswith("lineage") and not f.stem.endswith("_dev"))
        said, lines = rows(samples), rows(folder / "lineage.jsonl")
        change(said, lines)
        write(samples, said)
        write(folder / "lineage.jsonl", lines)
        found = check(runs, [folder, *exports], asked)
    return not any(kind in (None, k) or " " in kind and kind in message for k, message in found)


def recovered(runs, export, asked, check):
    """Whether check hears of it when recovery was asked for and nothing recovered from the last deprecation."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / export.name
        shutil.copytree(export, folder)
        about = json.loads((folder / "manifest.json").read_text())
        about["selection"]["require_recovery"] = True
        (folder / "manifest.json").write_text(json.dumps(about))
        line = next(l for l in rows(folder / "lineage.jsonl") if l["recovered"])
        path = runs[line["run_id"]].path(line["question_id"], line["tree"], line["node"])
        tool = [n for n in path if n["outcome"] == "deprecated"][-1]["tool"]
        calls = [n for n in path if n["tool"] == tool and n["outcome"] == "ok"]
        for node in calls:
            node["outcome"] = "tool-error"
        found = check(runs, [folder], asked)
        for node in calls:
            node["outcome"] = "ok"
    return any(kind == "recovery" for kind, _ in found)


def faults(runs, exports, asked, check):
    """Plants each fault in one export of each format, trainer and codec; returns those that nobody complained of."""
    missed, count = [], 0
    for export in map(Path, exports):
        about = json.loads((export / "manifest.json").read_text())
        whole = [e for e in exports if about["format"] == "sft-step" and Path(e).name.endswith("-sft-trajectory")]
        for name, change, kind in plans(asked)[about["format"]]:
            count += 1
            if unheard(runs, whole, asked, check, export, change, kind):
                missed.append(f"{export.parent.name}/{export.name}: {name}")
        if about["format"] == "sft-trajectory":
            count += 1
            if not recovered(runs, export, asked, check):
                missed.append(f"{export.parent.name}/{export.name}: the last deprecation was not recovered from")
    print(f"samples: {count} faults were planted, {count - len(missed)} were found")
    return missed
