"""Trains exports with TRL under its own chat templates for Qwen2.5, Llama 3.1 and Qwen3, and shows what is trained.

    templates.py TOOLEVO TOKENIZERS_DIR WORK_DIR EXPORT_DIR…

Each export is trained by the trainer of its format, one step of a few samples. Of the first sample the decoded batch is
printed, what carries loss between ⟦ and ⟧. Loss falls on replies only, each reply's thought is
there, arguments are encoded once, and there is no think block that the sample has not. What a template is known to do
otherwise (KNOWN) it has to do: when it no longer does, this says so. Exit 1 and a line for each
difference when something is wrong.
"""

import json
import sys
import tempfile
from pathlib import Path

import trl
from datasets import load_dataset
from transformers import LlamaForCausalLM, LlamaForSequenceClassification

import train
from train import IGNORE, LLAMA, make_model, trainer_of, wrong

QWEN = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
# Llama 3.1's has no generation marks: assistant_only_loss cannot work there, and sft-step is what to take.
TEMPLATES = {
    "qwen2_5_training": ("qwen2.json", QWEN), "llama3_1": ("llama3.json", LLAMA), "qwen3_training": ("qwen2.json", QWEN),
}
KNOWN = {"llama3_1": "loses the text beside a call", "qwen3_training": "writes an empty think block"}
WHOLE = ("sft-trajectory", "openai")
SAMPLES = 2


def learnt(batch, i):
    """Which tokens of a row of a batch carry loss."""
    ids = batch["input_ids"][i].tolist()
    if "labels" in batch and batch["labels"].dim() == 2:
        return ids, [label != IGNORE for label in batch["labels"][i].tolist()]
    if "completion_mask" in batch:
        return ids, [bool(m) for m in batch["completion_mask"][i].tolist()]
    return ids, [True] * len(ids)  # a reward model scores the whole


def marked(tokenizer, ids, trained):
    """The text with what carries loss in brackets, and that alone."""
    pad, pieces = tokenizer.pad_token_id, []
    for token, loss in zip(ids, trained):
        if token == pad:
            continue
        if not pieces or pieces[-1][1] != loss:
            pieces.append(([], loss))
        pieces[-1][0].append(token)
    texts = [(tokenizer.decode(tokens), loss) for tokens, loss in pieces]
    return "".join(f"⟦{t}⟧" if loss else t for t, loss in texts), "".join(t for t, loss in texts if loss)


def replies(row, i):
    """What the first sample wants to be learnt in the row i of its batch."""
    if "messages" in row:
        return [m for m in row["messages"] if m["role"] == "assistant"]
    return row["completion"] if "completion" in row else row["chosen" if i == 0 else "rejected"]


def check(name, template, trained, wanted, whole):
    """What is trained of a sample is what it wants, but for what the template is known to do."""
    does = set()
    for message in wanted:
        if message["content"].strip() not in trained:
            does.add("loses the text beside a call" if message.get("tool_calls") else "loses a text")
        for call in message.get("tool_calls") or []:
            if json.dumps(call["function"]["arguments"], ensure_ascii=False) not in trained:
                does.add("writes other arguments")
    if '"arguments": "{' in trained or '"parameters": "{' in trained:
        does.add("encodes arguments twice")
    if "<think>" in trained and not any("<think>" in m["content"] for m in wanted):
        does.add("writes an empty think block" if "<think>\n\n</think>" in trained else "writes a think block")
    if not whole and any(said in trained for said in ("Question: ", "Observation: ", "You answer questions")):
        does.add("trains what is read")
    calls = any(m.get("tool_calls") for m in wanted)
    known = {KNOWN[template]} if template in KNOWN and (calls or template != "llama3_1") else set()
    if does != known:
        wrong(f"{name}: the template {does or 'is exact'}, known is {known or 'nothing'}: {trained[:600]!r}")


def main():
    if len(sys.argv) < 5:
        print(__doc__, file=sys.stderr)
        return 2
    toolevo, tokenizers, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    work.mkdir(parents=True)
    shipped = Path(trl.__file__).parent / "chat_templates"
    for template, (file, special) in TEMPLATES.items():
        text = (shipped / f"{template}.jinja").read_text(encoding="utf-8")
        for export in map(Path, sys.argv[4:]):
            form = json.loads((export / "manifest.json").read_text())["format"]
            if form in WHOLE and "{% generation %}" not in text.replace("-%}", "%}").replace("{%-", "{%"):
                continue
            name = f"{template}, {export.parent.name}/{export.name}"
            tokenizer = make_model(tokenizers / file, work / "model", LlamaForCausalLM, text, special)
            make_model(tokenizers / file, work / "scorer", LlamaForSequenceClassification, text, special)
            rows = load_dataset(str(export), split="train", cache_dir=tempfile.mkdtemp(dir=work))
            rows = rows.select(range(min(SAMPLES, len(rows))))
            trainer = trainer_of(
                toolevo, export, form, rows, (str(work / "model"), str(work / "scorer"), tokenizer), work / "out")
            trainer.train()
            batch = trainer.data_collator([trainer.train_dataset[0]])
            for i in range(len(batch["input_ids"])):
                shown, trained = marked(tokenizer, *learnt(batch, i))
                print(f"=== {name}, row {i} of the batch\n{shown}\n", flush=True)
                check(name, template, trained, replies(rows[0], i), form == "reward")
    return 1 if train.failures else 0


if __name__ == "__main__":
    sys.exit(main())
