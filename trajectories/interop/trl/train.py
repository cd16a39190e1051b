"""Trains exports of every format with TRL on the CPU, and checks that every sample is trained.

    train.py TOKENIZER.json WORK_DIR EXPORT_DIR…

The model is a random Llama of about 100 k parameters made on the spot, its chat template one of Llama 3 that knows tool
calls and says what the assistant wrote. Every export is loaded as datasets finds it by its card, and trained for one
epoch by the trainer of its format. For each: the rows that the trainer keeps are the samples exported, and of the
formats for supervised fine-tuning the tokens with loss are what the assistant wrote, each with its end token. Exit 1 and
a line for each difference when something is wrong.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from datasets import load_dataset
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, LlamaForSequenceClassification, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer, KTOConfig, KTOTrainer, RewardConfig, RewardTrainer, SFTConfig, SFTTrainer

TEMPLATE = """{{- bos_token }}{%- for m in messages %}
{{- '<|start_header_id|>' + ('ipython' if m.role == 'tool' else m.role) + '<|end_header_id|>\n\n' }}
{%- if m.role == 'assistant' %}{% generation %}{{- m.content }}
{%- for c in (m.tool_calls or []) %}{{- '{"name": "' + c.function.name + '", "parameters": ' + c.function.arguments | tojson + '}' }}{% endfor %}
{{- '<|eot_id|>' }}{% endgeneration %}
{%- else %}{{- m.content + '<|eot_id|>' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"""

IGNORE = -100
failures = 0


def wrong(message):
    global failures
    failures += 1
    if failures <= 20:
        print(f"trl: {message}", file=sys.stderr)


def make_model(tokenizer_file, folder, kind):
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(tokenizer_file), bos_token="<|begin_of_text|>", eos_token="<|eot_id|>", pad_token="<|end_of_text|>"
    )
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    kind(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=131072, bos_token_id=tokenizer.bos_token_id, num_labels=1,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=False,
    )).save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def trainer_of(format, rows, models, work):
    """The trainer of a format over the rows. Nothing is cut."""
    common = {
        "output_dir": str(work), "num_train_epochs": 1, "per_device_train_batch_size": 2, "use_cpu": True, "bf16": False,
        "report_to": "none", "disable_tqdm": True, "save_strategy": "no", "logging_steps": 1000, "max_length": None, "gradient_checkpointing": False,
    }
    model, scorer, tokenizer = models
    with_data = {"train_dataset": rows, "processing_class": tokenizer}
    if format in ("sft-trajectory", "openai"):
        return SFTTrainer(model, args=SFTConfig(assistant_only_loss=True, **common), **with_data)
    if format == "sft-step":
        return SFTTrainer(model, args=SFTConfig(**common), **with_data)
    if format == "dpo":
        return DPOTrainer(model, args=DPOConfig(**common), **with_data)
    if format == "kto":
        return KTOTrainer(model, args=KTOConfig(**common), **with_data)
    return RewardTrainer(scorer, args=RewardConfig(**common), **with_data)


def check_loss(name, trainer, rows, tokenizer):
    """Returns how many tokens carry loss: those that the assistant wrote, or completes with."""
    trained = 0
    for i, (row, got) in enumerate(zip(rows, trainer.train_dataset)):
        ids = [label for label in got["labels"] if label != IGNORE]
        trained += len(ids)
        said = row["completion"] if "completion" in row else [m for m in row["messages"] if m["role"] == "assistant"]
        whole = tokenizer.apply_chat_template(said, tokenize=False)
        want = "".join(part.split("<|end_header_id|>\n\n", 1)[1] for part in whole.split("<|start_header_id|>")[1:])
        if tokenizer.decode(ids) != want:
            wrong(f"{name}: row {i} trains {tokenizer.decode(ids)[:300]!r}, want {want[:300]!r}")
    return trained


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    tokenizer_file, work = Path(sys.argv[1]), Path(sys.argv[2])
    work.mkdir(parents=True)
    for export in map(Path, sys.argv[3:]):
        tokenizer = make_model(tokenizer_file, work / "model", LlamaForCausalLM)
        make_model(tokenizer_file, work / "scorer", LlamaForSequenceClassification)
        models = (str(work / "model"), str(work / "scorer"), tokenizer)
        about = json.loads((export / "manifest.json").read_text())
        cache = tempfile.mkdtemp(dir=os.environ["HF_HOME"])  # datasets knows a folder again by its name
        rows = load_dataset(str(export), split="train", cache_dir=cache)
        stem = next(f["name"] for f in about["files"] if f["name"].endswith(".jsonl") and "lineage" not in f["name"]
                    and not f["name"].endswith("_dev.jsonl"))
        want = [json.loads(line) for line in (export / stem).open(encoding="utf-8")]
        if rows.to_list() != want:
            wrong(f"{export.name}: by its card datasets loads other samples than {stem} has")
        trainer = trainer_of(about["format"], rows, models, work / "out")
        kept = len(trainer.train_dataset)
        loss = trainer.train().training_loss
        words = ""
        if about["format"] in ("sft-trajectory", "openai", "sft-step"):
            words = f", {check_loss(export.name, trainer, rows, tokenizer)} tokens with loss, what the assistant wrote"
        if kept != about["rows"]:
            wrong(f"{export.name}: TRL keeps {kept} of {about['rows']} rows")
        print(f"trl: {export.name}: {about['rows']} rows in, {kept} rows trained, loss {loss:.3f}{words}", flush=True)
    if failures:
        print(f"trl: {failures} differences", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
