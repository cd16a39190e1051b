"""Trains a mixture on the CPU: two exports and a small dataset of others, by weights.

    mix.py TOOLEVO TOKENIZER.json WORK_DIR EXPORT EXPORT

LLaMA-Factory is run by toolevo finetune. Every sample of every source is in its tokenised data set, those of others as
often as the weights say; it trains as many as finetune says, and evaluates what the first export holds out. toolevo.json
beside the weights names the sources.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from datasets import load_from_disk
from transformers import AutoTokenizer

from train import make_model

GENERAL = [{"instruction": f"General question {n}?", "input": "", "output": f"General answer {n}."} for n in range(8)]
WEIGHTS = "1,1,2"


def samples(export):
    """What every sample of an export says, its training set's JSONL file a line each."""
    with (export / "toolevo_sft.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield [m["value"] for m in json.loads(line)["conversations"]]


def train(toolevo, exports, general, model, out):
    """Runs finetune; returns what it says, and the rows that LLaMA-Factory tokenised, as texts."""
    tokenized = out.with_name("tokenized")
    run = subprocess.run([
        toolevo, "finetune", *map(str, exports), "--with", f"{general}:general", "--weights", WEIGHTS, "--recipe", "tiny",
        "--allow-scripted", "--model", str(model), "--out", str(out), "--gpus", "0", "--json", "--progress", "none",
        "--llamafactory", str(Path(sys.executable).parent / "llamafactory-cli"), "--set", f"tokenized_path={tokenized}",
        "--set", "plot_loss=", "--set", "eval_dataset=toolevo_sft_dev", "--set", "eval_strategy=epoch",
    ], stdout=subprocess.PIPE, text=True, check=True)
    tokenizer = AutoTokenizer.from_pretrained(model)
    return json.loads(run.stdout), {
        split: [tokenizer.decode(row["input_ids"]) for row in rows] for split, rows in load_from_disk(str(tokenized)).items()
    }


def complaints(said, rows, exports, out):
    """What is wrong with the training."""
    trained = int(re.findall(r"Num examples = ([\d,]+)", (out / "train.log").read_text())[0].replace(",", ""))
    shares = [s["trained"] for s in said["sources"]]
    if not trained == said["rows"] == len(rows["train"]) == sum(shares):
        yield f"{trained} rows are trained, {len(rows['train'])} tokenised, and finetune says {said['rows']}"
    if json.loads((out / "model" / "toolevo.json").read_text())["sources"] != said["sources"]:
        yield "toolevo.json names other sources than finetune"
    if not shares[0] == shares[1] == shares[2] / 2:
        yield f"the shares are not {WEIGHTS} but {shares}"
    counts = [sum(row["output"] in text for text in rows["train"]) for row in GENERAL]
    if not all(counts) or sum(counts) != shares[2]:
        yield f"the samples of others are there {counts} times, want {shares[2]} in all"
    whole = "\0".join(rows["train"])
    for export in exports:
        lost = sum(any(message not in whole for message in sample) for sample in samples(export))
        if lost:
            yield f"{lost} samples of {export} are not trained"
    held = json.loads((exports[0] / "manifest.json").read_text())["dev_rows"]
    if len(rows["validation"]) != held:
        yield f"{len(rows['validation'])} samples are evaluated, the export holds {held} out"


def main():
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    toolevo, tokenizer_file, work, *exports = sys.argv[1], *map(Path, sys.argv[2:])
    work.mkdir(parents=True)
    make_model(tokenizer_file, work / "model")
    (work / "general.json").write_text(json.dumps(GENERAL))
    (work / "dataset_info.json").write_text(json.dumps({"general": {"file_name": "general.json"}}))
    out = work / "trained"
    said, rows = train(toolevo, exports, work, work / "model", out)
    wrong = list(complaints(said, rows, exports, out))
    for complaint in wrong:
        print(f"mix: {complaint}", file=sys.stderr)
    print("mix: LLaMA-Factory trains", ", ".join(f"{s['trained']} of {s['rows']} {s['name']}" for s in said["sources"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
