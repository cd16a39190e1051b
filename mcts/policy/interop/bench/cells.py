"""What an accepted trajectory costs with a real model: runs cells of cells.tsv, and prints their table.

    cells.py TOOLEVO URL MODEL RUNS RESULTS [CELL...]

Without the name of a cell only the table of RESULTS is printed. A cell that has run for 30 minutes
stops, and the next call continues it. Runs are kept in RUNS; RESULTS gets the figures (.json) and
the accepted trajectories (.jsonl) of each cell.
"""

import json
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
MOST_SECONDS = 30 * 60
FAILURES = {"malformed", "invalid-action", "invocation-error", "deprecated", "tool-error"}


def cells():
    """Returns the arguments of each cell, by its name."""
    lines = (HERE / "cells.tsv").read_text().splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def counted(url):
    """Returns how many tokens the server has read and written since it started, without cached ones."""
    lines = urllib.request.urlopen(url.removesuffix("/v1") + "/metrics").read().decode().splitlines()
    names = {"read": "llamacpp:prompt_tokens_total", "written": "llamacpp:tokens_predicted_total"}
    return {key: int(float(line.split()[1])) for key, name in names.items() for line in lines if line.startswith(name)}


def collect(run, url, arguments):
    """Continues a run for a while, and notes what that took. Returns whether it has ended."""
    command = [*arguments, "--json", "--progress", "plain", "--out", run]
    if (run / "run.json").exists():
        command.append("--resume")
    began, before = time.monotonic(), counted(url)
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE) as process:
        try:
            process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.communicate()
    took = time.monotonic() - began
    if process.returncode not in (0, 130):
        sys.exit(f"{shlex.join(process.args)} ended with {process.returncode}")
    note = {"seconds": took, **{key: count - before[key] for key, count in counted(url).items()}}
    with open(run / "passes.jsonl", "a") as file:
        print(json.dumps(note), file=file)
    return process.returncode == 0


def repeats(tree):
    """Counts the completions of a tree that repeat a failure.

    Such a node has the key, outcome and observation of an earlier turn of its path, with no turn in
    between that went well.
    """
    nodes, count = tree["nodes"], 0
    for node in nodes[1:]:
        if node["outcome"] not in FAILURES:
            continue
        above = node["parent"]
        while above > 0 and nodes[above]["outcome"] in FAILURES:
            if all(nodes[above][key] == node[key] for key in ("key", "outcome", "observation")):
                count += node["draws"]
                break
            above = nodes[above]["parent"]
    return count


def figures(program, run):
    """Returns the figures of a run that has ended, and its distinct accepted trajectories."""

    def inspect(*words):
        return json.loads(subprocess.check_output([program, "inspect", run, *map(str, words), "--json"]))

    all = {"questions": 0, "solved": 0, "accepted": 0, "trees": 0, "completions": 0, "repeats": 0}
    accepted = []
    for question in inspect()["questions"]:
        found = {}
        for t in range(question["trees"]):
            tree = inspect(question["question_id"], t)
            all["trees"] += 1
            all["completions"] += tree["samples"]
            all["repeats"] += repeats(tree)
            for node in tree["nodes"]:
                if node["outcome"] == "correct" and node["official"] and node["strict"]:
                    path = [node]
                    while path[0]["parent"] > 0:
                        path.insert(0, tree["nodes"][path[0]["parent"]])
                    keys = tuple(turn["key"] for turn in path)
                    found.setdefault(keys, [{k: turn[k] for k in ("action", "observation", "outcome")} for turn in path])
        all["questions"] += 1
        all["solved"] += bool(found)
        all["accepted"] += len(found)
        accepted += [{"question_id": question["question_id"], "turns": turns} for turns in found.values()]
    for line in open(run / "passes.jsonl"):
        for key, value in json.loads(line).items():
            all[key] = all.get(key, 0) + value
    all["run"] = inspect()["run"]
    return all, accepted


def table(results):
    """Prints the table for people, of every cell that has figures."""
    print("| cell | completions | of them repeats | prompt tokens read | written | seconds | accepted | completions each | solved |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in cells():
        if (path := results / f"{name}.json").exists():
            f = json.loads(path.read_text())
            each = f"{f['completions'] / f['accepted']:.1f}" if f["accepted"] else "–"
            print(
                f"| `{name}` | {f['completions']} | {f['repeats']} | {f['read']:,} |"
                f" {f['written']:,} | {f['seconds']:.0f} | {f['accepted']} | {each} |"
                f" {f['solved']} of {f['questions']} |"
            )


def main(program, url, model, runs, results, *names):
    runs, results = pathlib.Path(runs), pathlib.Path(results)
    for name in names:
        run = runs / name
        arguments = [program, "collect", "--policy", f"openai:{model}", "--server", url, "--config"]
        arguments += ["policies/qwen2.5-coder-gguf", "--dataset", "coffee", "--difficulty", "easy"]
        arguments += ["--data", runs / "data", "--set", "search.completions=60", *shlex.split(cells()[name])]
        if not collect(run, url, arguments):
            sys.exit(f"{name} has run for {MOST_SECONDS // 60} minutes, and goes on with the same command")
        found, accepted = figures(program, run)
        (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
        (results / f"{name}.jsonl").write_text("".join(json.dumps(a) + "\n" for a in accepted))
    table(results)


main(*sys.argv[1:])
