"""Trains exports of every format with LLaMA-Factory on the CPU, and checks what it trains.

    train.py TOOLEVO TOKENIZER.json WORK_DIR EXPORT_DIR…

The model is a random Llama of about 100 k parameters made on the spot. Every export is trained for one epoch by the
recipe of its format, as toolevo finetune --print tells LLaMA-Factory; of sft-trajectory both files are. What the card
says of the training is what is told. For each: the number of examples LLaMA-Factory reports is the number of samples
exported, and in its own tokenised data set every sample is, token for token, the pieces that the linter shows
(EXPORT_DIR.lint), with loss on those that it says carry loss and nowhere else. An export with tool calls for OpenAI's
chat API has no entry for LLaMA-Factory, and none is asked for. Exit 1 and a line for each difference when something is
wrong.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml
from datasets import load_from_disk
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

IGNORE = -100
CUTOFF = 131072

# The recipe of each format. That of openai is TRL's: LLaMA-Factory is told what the card says.
RECIPES = {
    "sft-trajectory": "qwen3-8b", "sft-step": "qwen3-8b-step", "dpo": "qwen3-8b-dpo", "kto": "qwen3-8b-kto",
    "reward": "qwen3-8b-reward",
}

# What is told beside the recipe, of which an empty value takes an argument away: the model is tiny, and so is the machine.
HERE = {
    "template": "llama3", "cutoff_len": CUTOFF, "use_cpu": "true", "bf16": "", "deepspeed": "", "num_train_epochs": 1.0,
    "preprocessing_num_workers": "", "dataloader_num_workers": "", "plot_loss": "", "save_only_model": "true",
}

failures = 0


def wrong(message):
    global failures
    failures += 1
    if failures <= 20:
        print(f"train: {message}", file=sys.stderr)


LLAMA = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "pad_token": "<|end_of_text|>"}


def make_model(tokenizer_file, folder, special=LLAMA):
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tokenizer_file), **special)
    tokenizer.save_pretrained(folder)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=CUTOFF, bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id, tie_word_embeddings=False,
    ))
    model.save_pretrained(folder)
    return sum(p.numel() for p in model.parameters())


def card_lines(export):
    """What the card says that a trainer is told."""
    block = re.search(r"^```yaml\n(.*?)^```$", (export / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return yaml.safe_load(block.group(1)) if block else {}


def printed(toolevo, export, recipe, model, settings):
    """What toolevo finetune would tell the trainer."""
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    run = subprocess.run(
        [toolevo, "finetune", str(export), "--recipe", recipe, "--model", str(model), "--out", "none", "--gpus", "0", "--print",
         "--allow-scripted", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        wrong(f"toolevo finetune {export.name} --recipe {recipe}: {run.stderr}")
        return {}
    return yaml.safe_load(run.stdout)


def arguments(toolevo, export, format, model):
    """What LLaMA-Factory is told of an export."""
    lines = card_lines(export)
    if recipe := RECIPES.get(format):
        told = printed(toolevo, export, recipe, model, HERE)
        if differ := {key: told.get(key) for key in lines if told.get(key) != lines[key]}:
            wrong(f"{export.name}: the card says {lines}, the recipe {recipe} {differ}")
        return told
    return plain(export, model)


def plain(export, model):
    """What LLaMA-Factory needs to be told of an export, without a recipe."""
    return {
        "model_name_or_path": str(model), "do_train": True, "finetuning_type": "full", "dataset_dir": str(export),
        "template": "llama3", "cutoff_len": CUTOFF, "num_train_epochs": 1.0, "use_cpu": True, "report_to": "none",
        "save_only_model": True, "overwrite_cache": True,
    } | card_lines(export)


def train(told, name, dataset, work):
    """Runs LLaMA-Factory; returns what it printed, or None when it failed."""
    config = told | {
        "dataset": dataset, "tokenized_path": str(work / f"tokenized-{name}"), "output_dir": str(work / f"out-{name}"),
    }
    file = work / f"{name}.yaml"  # JSON is YAML; LLaMA-Factory 0.9.5 cannot open a .json
    file.write_text(json.dumps(config))
    run = subprocess.run(
        [str(Path(sys.executable).parent / "llamafactory-cli"), "train", str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env=os.environ | {"OMP_NUM_THREADS": "1"},  # as many runs are under way as there are processors
    )
    if run.returncode != 0:
        wrong(f"llamafactory-cli train of {name} ended with {run.returncode}:\n{run.stdout[-4000:]}")
        return None
    return run.stdout


def check_log(name, log, samples):
    counts = re.findall(r"Num examples = ([\d,]+)", log)
    trained = int(counts[0].replace(",", "")) if counts else None
    if trained != samples:
        wrong(f"{name}: LLaMA-Factory reports {trained} examples, {samples} were exported")
    for complaint in ("Dropped invalid example", "Invalid role tag", "Invalid message count", "Skipping this abnormal example"):
        if complaint in log:
            wrong(f"{name}: LLaMA-Factory says {complaint!r}")
    if not re.search(r"train_loss", log):
        wrong(f"{name}: no training loss was reported")
    return trained


def wanted(tokenizer, pieces):
    """The tokens of pieces, and their labels."""
    ids, labels = [], []
    for piece in pieces:
        tokens = tokenizer.encode(piece["text"], add_special_tokens=False)
        if len(tokens) != piece["tokens"]:
            wrong(f"{piece['text'][:80]!r} has {len(tokens)} tokens, the linter counts {piece['tokens']}")
        ids += tokens
        labels += tokens if piece["trained"] else [IGNORE] * len(tokens)
    return ids, labels


def rows_of(format, row):
    """What a tokenised row trains, by the way it is told from the pieces of the sample."""
    if format in ("dpo", "reward"):
        return [(row["chosen_input_ids"], row["chosen_labels"]), (row["rejected_input_ids"], row["rejected_labels"])]
    return [(row["input_ids"], row["labels"])]


def check_tokens(name, format, tokenized, tokenizer, shown):
    rows = load_from_disk(str(tokenized))["train"]
    if len(rows) != len(shown):
        wrong(f"{name}: the tokenised data set has {len(rows)} rows, {len(shown)} were exported")
        return 0, 0
    trained = total = 0
    for i, (row, sample) in enumerate(zip(rows, shown)):
        pieces = sample["pieces"]
        wants = [pieces]
        if format in ("dpo", "reward"):
            wants = [pieces[:-1], pieces[:-2] + pieces[-1:]]
        for (ids, labels), want in zip(rows_of(format, row), wants):
            want_ids, want_labels = wanted(tokenizer, want)
            total += len(ids)
            trained += sum(label != IGNORE for label in labels)
            if ids != want_ids:
                wrong(f"{name}: row {i} is tokenised as {tokenizer.decode(ids)[-300:]!r}, want {tokenizer.decode(want_ids)[-300:]!r}")
            elif labels != want_labels:
                wrong(f"{name}: row {i} trains {[l for l in labels if l != IGNORE]}, want {[l for l in want_labels if l != IGNORE]}")
    return trained, total


def main():
    if len(sys.argv) < 5:
        print(__doc__, file=sys.stderr)
        return 2
    toolevo, tokenizer_file, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    work.mkdir(parents=True)
    model = work / "model"
    parameters = make_model(tokenizer_file, model)
    tokenizer = AutoTokenizer.from_pretrained(model)
    runs = []
    for export in map(Path, sys.argv[4:]):
        format = json.loads((export / "manifest.json").read_text())["format"]
        entries = json.loads((export / "dataset_info.json").read_text())
        names = sorted(n for n in entries if not n.removesuffix("_jsonl").endswith("_dev"))
        if not names:
            print(f"train: {export.name}: no entry, it has tool calls")
        runs += [(export, format, dataset) for dataset in (names if format == "sft-trajectory" else names[:1])]

    def start(run):
        export, format, dataset = run
        return train(arguments(toolevo, export, format, model), f"{export.name}-{dataset}", dataset, work)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (export, format, dataset), log in zip(runs, pool.map(start, runs)):
            if log is None:
                continue
            name = f"{export.name}-{dataset}"
            shown = json.loads(export.with_name(export.name + ".lint").read_text())["shown"]
            rows = check_log(name, log, len(shown))
            trained, total = check_tokens(name, format, work / f"tokenized-{name}", tokenizer, shown)
            print(f"train: {export.name}, {dataset}: {len(shown)} rows in, {rows} rows trained, {trained} of {total} tokens "
                  "with loss, as the linter says", flush=True)
    print(f"train: the model has {parameters} parameters")
    if failures:
        print(f"train: {failures} differences", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
