"""Trains one epoch of an export with LLaMA-Factory on the CPU, and checks what it trained.

    train.py EXPORT_DIR WORK_DIR [--tokenizer tokenizer.json]

The model is a random Llama of about 100 k parameters made on the spot. Both entries of dataset_info.json are trained.
For each: the number of examples LLaMA-Factory reports is the number of samples exported; in its own tokenised data set
every sample is the whole conversation, untruncated, and the labels are the gpt messages, each with the template's end
token, and nothing else. With --tokenizer, and when the export was counted with that file under llama3, the lengths must
equal the ones in lineage.jsonl. Exit 1 and a line for each difference when something is wrong.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from datasets import load_from_disk
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

IGNORE = -100
SPECIAL = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>"]
SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CUTOFF = 131072
HEADERS = {"human": "user", "observation": "ipython", "gpt": "assistant"}

failures = 0


def wrong(message):
    global failures
    failures += 1
    if failures <= 20:
        print(f"train: {message}", file=sys.stderr)


def make_tokenizer(samples, path):
    """A byte-level BPE tokenizer of 1,000 tokens with the special tokens of Llama 3, trained on the samples."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    texts = (m["value"] for s in samples for m in s["conversations"])
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=1000, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    ))
    tokenizer.save(str(path))


def make_model(tokenizer_file, folder):
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(tokenizer_file), bos_token="<|begin_of_text|>", eos_token="<|eot_id|>", pad_token="<|end_of_text|>"
    )
    tokenizer.save_pretrained(folder)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=CUTOFF, bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id, tie_word_embeddings=False,
    ))
    model.save_pretrained(folder)
    return sum(p.numel() for p in model.parameters())


def train(export, dataset, model, work):
    """Runs LLaMA-Factory; returns what it printed, or None when it failed."""
    config = {
        "model_name_or_path": str(model), "stage": "sft", "do_train": True, "finetuning_type": "full",
        "dataset_dir": str(export), "dataset": dataset, "template": "llama3", "cutoff_len": CUTOFF,
        "tokenized_path": str(work / f"tokenized-{dataset}"), "output_dir": str(work / f"out-{dataset}"),
        "num_train_epochs": 1.0, "per_device_train_batch_size": 4, "gradient_accumulation_steps": 1, "learning_rate": 1e-3,
        "lr_scheduler_type": "cosine", "use_cpu": True, "report_to": "none", "save_only_model": True, "logging_steps": 10,
        "overwrite_cache": True, "seed": 42,
    }
    file = work / f"{dataset}.yaml"  # JSON is YAML; LLaMA-Factory 0.9.5 cannot open a .json
    file.write_text(json.dumps(config))
    run = subprocess.run(
        [str(Path(sys.executable).parent / "llamafactory-cli"), "train", str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env=os.environ | {"OMP_NUM_THREADS": str(os.cpu_count() or 1)},
    )
    if run.returncode != 0:
        wrong(f"llamafactory-cli train of {dataset} ended with {run.returncode}:\n{run.stdout[-4000:]}")
        return None
    return run.stdout


def check_log(dataset, log, samples):
    counts = re.findall(r"Num examples = ([\d,]+)", log)
    if not counts or int(counts[0].replace(",", "")) != len(samples):
        wrong(f"{dataset}: LLaMA-Factory reports {counts} examples, {len(samples)} were exported")
    for complaint in ("Dropped invalid example", "Invalid role tag", "Invalid message count", "Skipping this abnormal example"):
        if complaint in log:
            wrong(f"{dataset}: LLaMA-Factory says {complaint!r}")
    if not re.search(r"train_loss", log):
        wrong(f"{dataset}: no training loss was reported")


def rendered(sample):
    """The whole conversation under the llama3 template, and its trained spans."""
    text = "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n" + sample["system"] + "<|eot_id|>"
    for m in sample["conversations"]:
        text += f"<|start_header_id|>{HEADERS[m['from']]}<|end_header_id|>\n\n{m['value']}<|eot_id|>"
    return text, [m["value"] + "<|eot_id|>" for m in sample["conversations"] if m["from"] == "gpt"]


def spans(labels):
    """The runs of trained tokens."""
    runs, current = [], []
    for token in labels + [IGNORE]:
        if token != IGNORE:
            current.append(token)
        elif current:
            runs.append(current)
            current = []
    return runs


def check_tokens(dataset, work, tokenizer, samples, lengths):
    rows = load_from_disk(str(work / f"tokenized-{dataset}"))["train"]
    if len(rows) != len(samples):
        wrong(f"{dataset}: the tokenised data set has {len(rows)} rows, {len(samples)} were exported")
        return 0, 0
    end = tokenizer.convert_tokens_to_ids("<|eot_id|>")
    trained = total = 0

    def decode(ids):
        return tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)

    for i, (row, sample) in enumerate(zip(rows, samples)):
        ids, labels = row["input_ids"], row["labels"]
        whole, want = rendered(sample)
        got = [decode(span) for span in spans(labels)]
        total += len(ids)
        trained += sum(token != IGNORE for token in labels)
        if got != want:
            wrong(f"{dataset}: row {i} trains {got!r}, want {want!r}")
        if any(label not in (IGNORE, token) for token, label in zip(ids, labels)):
            wrong(f"{dataset}: row {i} has labels that are not its own tokens")
        if decode(ids) != whole:
            wrong(f"{dataset}: row {i} is tokenised as {decode(ids)!r}, want {whole!r}")
        if ids.count(end) != len(sample["conversations"]) + 1:
            wrong(f"{dataset}: row {i} has {ids.count(end)} end tokens for {len(sample['conversations'])} messages and a system text")
        if lengths and lengths[i] != len(ids):
            wrong(f"{dataset}: row {i} has {len(ids)} tokens, the export counted {lengths[i]}")
    return trained, total


def counted_lengths(export, tokenizer_file):
    """The token counts of the export, when they are comparable."""
    about = json.loads((export / "manifest.json").read_text())["lengths"]
    if hashlib.sha256(tokenizer_file.read_bytes()).hexdigest() != about.get("tokenizer_sha256") or about["template"] != "llama3":
        return []
    return [json.loads(line)["tokens"] for line in (export / "lineage.jsonl").open(encoding="utf-8")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    args = parser.parse_args()
    samples = [json.loads(line) for line in (args.export / "toolevo_sft.jsonl").open(encoding="utf-8")]
    if not samples:
        print("train: the export has no samples: LLaMA-Factory has nothing to train", file=sys.stderr)
        return 1
    lengths = counted_lengths(args.export, args.tokenizer) if args.tokenizer else []
    if not args.tokenizer:
        args.tokenizer = args.work / "tokenizer.json"
        make_tokenizer(samples, args.tokenizer)
    model = args.work / "model"
    parameters = make_model(args.tokenizer, model)
    tokenizer = AutoTokenizer.from_pretrained(model)
    for dataset in ("toolevo_sft", "toolevo_sft_jsonl"):
        log = train(args.export, dataset, model, args.work)
        if log is None:
            continue
        check_log(dataset, log, samples)
        trained, total = check_tokens(dataset, args.work, tokenizer, samples, lengths)
        print(f"train: {dataset}: {len(samples)} examples, {trained} of {total} tokens trained, model of {parameters} parameters"
              + (", lengths as counted" if lengths else ""))
    if failures:
        print(f"train: {failures} differences", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
