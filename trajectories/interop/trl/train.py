"""Trains exports of every format with TRL on the CPU, and checks that every sample is trained.

    train.py TOOLEVO TOKENIZER.json WORK_DIR EXPORT_DIR…

The model is a random Llama of about 100 k parameters made on the spot, its chat template one of Llama 3 that knows tool
calls and says what the assistant wrote. Every export is loaded as datasets finds it by its card, and trained for one
epoch by the trainer of its format, with the lines that its card has for it; those of openai by the recipe, as toolevo
finetune --print has it. Of kto the trainer finds the weights balanced, and the card names the templates that TRL has no
marks for. For each: the rows that the trainer keeps are the samples exported, and of the
formats for supervised fine-tuning the tokens with loss are what the assistant wrote, each with its end token. Exit 1 and
a line for each difference when something is wrong.
"""

import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import trl
import yaml
from datasets import load_dataset
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, LlamaForSequenceClassification, PreTrainedTokenizerFast
from trl import (DatasetMixtureConfig, DPOConfig, DPOTrainer, KTOConfig, KTOTrainer, ModelConfig, RewardConfig, RewardTrainer,
                 ScriptArguments, SFTConfig, SFTTrainer, TrlParser)

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


LLAMA = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "pad_token": "<|end_of_text|>"}


def make_model(tokenizer_file, folder, kind, template=TEMPLATE, special=LLAMA):
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tokenizer_file), **special)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    kind(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=131072, bos_token_id=tokenizer.bos_token_id, num_labels=1,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=False,
    )).save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


TRAINERS = {
    "sft-trajectory": (SFTTrainer, SFTConfig), "openai": (SFTTrainer, SFTConfig), "sft-step": (SFTTrainer, SFTConfig),
    "dpo": (DPOTrainer, DPOConfig), "kto": (KTOTrainer, KTOConfig), "reward": (RewardTrainer, RewardConfig),
}

# What is told beside the recipe, of which an empty value takes an argument away: the model is tiny, and so is the machine.
HERE = {"use_cpu": "true", "bf16": "false", "accelerate_config": "", "max_length": 131072, "num_train_epochs": 1.0}


def card_lines(export):
    """What the card says that a trainer is told."""
    block = re.search(r"^```yaml\n(.*?)^```$", (export / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return yaml.safe_load(block.group(1)) if block else {}


def by_recipe(toolevo, export, model, work):
    """The configuration that TRL makes of what toolevo finetune prints."""
    words = [word for key, value in HERE.items() for word in ("--set", f"{key}={value}")]
    config = work / "trl.yaml"
    config.write_text(subprocess.run(
        [toolevo, "finetune", str(export), "--recipe", "qwen2.5-7b-openai", "--model", model, "--out", "none", "--gpus", "0",
         "--print", "--allow-scripted", *words], stdout=subprocess.PIPE, text=True, check=True).stdout)
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig, DatasetMixtureConfig))
    script, training, *_, unknown = parser.parse_args_and_config(["--config", str(config)], return_remaining_strings=True)
    if unknown or script.dataset_name != str(export):
        wrong(f"{export.name}: of the recipe TRL does not know {unknown}, and trains {script.dataset_name}")
    return training


def trainer_of(toolevo, export, format, rows, models, work):
    """The trainer of a format over the rows. Nothing is cut."""
    trainer, config = TRAINERS[format]
    model, scorer, tokenizer = models
    if format == "openai":
        args = by_recipe(toolevo, export, model, work.parent)
        args.output_dir, args.disable_tqdm = str(work), True
    else:
        args = config(
            output_dir=str(work), num_train_epochs=1, per_device_train_batch_size=2, use_cpu=True, bf16=False,
            report_to="none", disable_tqdm=True, save_strategy="no", logging_steps=1000, max_length=None,
            gradient_checkpointing=False, **card_lines(export))
    return trainer(scorer if format == "reward" else model, args=args, train_dataset=rows, processing_class=tokenizer)


def check_marks(export):
    """Every family of templates of which none marks what the assistant writes is named by the card."""
    templates = Path(trl.__file__).parent / "chat_templates"
    bare = {file.stem for file in templates.glob("*.jinja") if not re.search(r"{%-? generation", file.read_text())}
    bare -= {stem for stem in bare if (templates / f"{stem}_training.jinja").exists()}
    card = (export / "README.md").read_text().lower()
    for family in {re.sub(r"(?<=[a-z])(?=\d)", " ", re.sub(r"_v\d+$", "", stem)).replace("_", ".") for stem in bare}:
        if not re.search(rf"\b{re.escape(family)}\b", card):
            wrong(f"{export.name}: TRL has no marks for {family}, and the card does not say so")


class Complaints(logging.Handler):
    """What the trainers warn of."""

    def __init__(self):
        super().__init__()
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


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
    if len(sys.argv) < 5:
        print(__doc__, file=sys.stderr)
        return 2
    toolevo, tokenizer_file, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    work.mkdir(parents=True)
    complaints = Complaints()
    logging.getLogger("trl").addHandler(complaints)
    for export in map(Path, sys.argv[4:]):
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
        bare = load_dataset("parquet", data_files=[str((export / stem).with_suffix(".parquet"))], split="train",
                            cache_dir=cache)
        if bare.to_list() != want:
            wrong(f"{export.name}: without its card datasets loads other samples than {stem} has")
        trainer = trainer_of(toolevo, export, about["format"], rows, models, work / "out")
        if about["format"] in ("sft-trajectory", "openai"):
            check_marks(export)
        if unbalanced := [said for said in complaints.said if "desirable" in said]:
            wrong(f"{export.name}: {unbalanced[0]}")
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
