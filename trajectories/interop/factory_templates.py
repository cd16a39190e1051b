"""Trains exports with LLaMA-Factory under its templates of Qwen2.5, Llama 3.1 and Qwen3, and shows what is trained.

    factory_templates.py TOKENIZERS_DIR WORK_DIR EXPORT_DIR…

Of the first sample of each tokenised data set the text is printed, what carries loss between ⟦ and ⟧. Loss falls on
replies only, each with all that the sample says. Exit 1 and a line for each difference when something is wrong.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from datasets import load_from_disk
from transformers import AutoTokenizer

import train

QWEN = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
TEMPLATES = {"qwen": ("qwen2.json", QWEN), "llama3": ("llama3.json", train.LLAMA), "qwen3": ("qwen2.json", QWEN)}


def marked(tokenizer, ids, labels):
    """The text with what carries loss in brackets, and that alone."""
    pieces = []
    for token, label in zip(ids, labels):
        loss = label != train.IGNORE
        if not pieces or pieces[-1][1] != loss:
            pieces.append(([], loss))
        pieces[-1][0].append(token)
    texts = [(tokenizer.decode(tokens), loss) for tokens, loss in pieces]
    return "".join(f"⟦{t}⟧" if loss else t for t, loss in texts), "".join(t for t, loss in texts if loss)


def replies(sample, format, row):
    """What the first sample wants to be learnt of, in a row of the pair or alone."""
    if format in ("dpo", "reward"):
        return [sample["rejected" if row else "chosen"]["value"]]
    said = [m["value"] for m in sample["conversations"] if m["from"] in ("gpt", "function_call")]
    return said if format == "sft-trajectory" else said[-1:]


def words(reply):
    """What of a reply a template cannot write otherwise: its thought, the tool's name, and its arguments."""
    thought, found, call = reply.removeprefix("<think>\n").partition("\n</think>\n\n")
    if not found:
        return [reply]
    try:
        call = json.loads(call)
        return [thought, call["name"], json.dumps(call["arguments"], ensure_ascii=False)]
    except (ValueError, KeyError):
        return [thought, call if isinstance(call, str) else json.dumps(call, ensure_ascii=False)]


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    tokenizers, work = Path(sys.argv[1]), Path(sys.argv[2])
    work.mkdir(parents=True)
    jobs = []
    for template, (file, special) in TEMPLATES.items():
        train.make_model(tokenizers / file, work / template, special)
        for export in map(Path, sys.argv[3:]):
            format = json.loads((export / "manifest.json").read_text())["format"]
            entry = min(json.loads((export / "dataset_info.json").read_text()))
            jobs.append((template, export, format, entry))

    def start(job):
        template, export, format, entry = job
        told = train.plain(export, work / template) | {"template": template, "max_samples": 4}
        name = f"{template}-{export.parent.name}-{export.name}"
        return name, train.train(told, name, entry, work)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (template, export, format, entry), (name, log) in zip(jobs, pool.map(start, jobs)):
            if log is None:
                continue
            tokenizer = AutoTokenizer.from_pretrained(work / template)
            stem = next(f for f in sorted(export.glob("toolevo_*.jsonl")) if not f.stem.endswith("_dev"))
            sample = json.loads(stem.open(encoding="utf-8").readline())
            first = load_from_disk(str(work / f"tokenized-{name}"))["train"][0]
            for row, (ids, labels) in enumerate(train.rows_of(format, first)):
                shown, trained = marked(tokenizer, ids, labels)
                print(f"=== {name}, row {row}\n{shown}\n", flush=True)
                for reply in replies(sample, format, row):
                    for word in words(reply):
                        if word not in trained:
                            train.wrong(f"{name}: {word!r} is not trained in {trained[:600]!r}")
                if "You answer questions" in trained:
                    train.wrong(f"{name}: the system text is trained")
    return 1 if train.failures else 0


if __name__ == "__main__":
    sys.exit(main())
