"""Documents of test questions by others are refused, however the question is spelt.

    foreign.py TOOLEVO DATA DOCUMENTS.jsonl WORK_DIR

DOCUMENTS are those of an evaluation of the test split; what toolevo says of them beside the format is taken away. Exit 1
and a line for each spelling that is exported, or when an export without a data folder does not say that it could not check.
"""

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

WIDE = {c: c + 0xFEE0 for c in range(0x21, 0x7F)}  # to full-width forms
SPELLINGS = {
    "as it is": lambda q: q, "in capitals": str.upper, "full-width": lambda q: q.translate(WIDE),
    "white space": lambda q: "  " + q.replace(" ", " \u00a0\n"), "decomposed": lambda q: unicodedata.normalize("NFD", q),
}


def bare(value):
    """The document without what is toolevo's own."""
    if isinstance(value, dict):
        return {k: bare(v) for k, v in value.items() if k != "extra"}
    return [bare(v) for v in value] if isinstance(value, list) else value


def asked(document, spell):
    """The document with its question spelt otherwise."""
    step = next(s for s in document["steps"] if s["source"] == "user")
    question = step["message"].removeprefix("Question: ")
    step["message"] = "Question: " + spell(question)
    return document


def export(toolevo, documents, out, data):
    command = [toolevo, "export", documents, "--score", "any", "--data", data, "--per-question", "0", "--out", out,
               "--allow-scripted", "--json"]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=os.environ | {"TOOLEVO_DATA": ""})


def main():
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    toolevo, data, documents, work = sys.argv[1:4] + [Path(sys.argv[4])]
    work.mkdir(parents=True)
    lines = Path(documents).read_text(encoding="utf-8").splitlines()
    wrong = 0
    for name, spell in SPELLINGS.items():
        file, out = work / f"{name}.jsonl".replace(" ", "-"), work / name
        file.write_text("".join(json.dumps(asked(bare(json.loads(line)), spell)) + "\n" for line in lines), encoding="utf-8")
        if export(toolevo, file, out, data).returncode != 1:
            wrong += 1
            print(f"foreign: questions of the test split are exported, {name}", file=sys.stderr)
    out = work / "unchecked"
    done = export(toolevo, work / "as-it-is.jsonl", out, work / "no-data")
    if done.returncode != 0 or "not checked" not in (out / "README.md").read_text(encoding="utf-8"):
        wrong += 1
        print(f"foreign: without a data folder the card does not say that nothing was checked: {done.stderr}", file=sys.stderr)
    print(f"foreign: {len(lines)} documents of test questions, refused in {len(SPELLINGS)} spellings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
