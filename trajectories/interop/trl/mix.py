"""Trains a mixture with TRL on the CPU: two exports and a small dataset of others, by weights.

    mix.py TOOLEVO TOKENIZER.json WORK_DIR EXPORT EXPORT

TRL loads what toolevo finetune --print tells it, and keeps of every source what was said: the first of its samples.
"""

import json
import subprocess
import sys
from pathlib import Path

from transformers import LlamaForCausalLM
from trl import DatasetMixtureConfig, ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser, get_dataset

from train import HERE, make_model

GENERAL = [
    {"messages": [{"role": "user", "content": f"Question {n}?"}, {"role": "assistant", "content": f"Answer {n}."}]}
    for n in range(4)
]


def others(work, export):
    """A folder of general data whose card says the same columns as that of an export."""
    folder = work / "general"
    folder.mkdir()
    head = (export / "README.md").read_text().split("\n---\n")[0]
    (folder / "README.md").write_text(head.replace("toolevo_openai.parquet", "general.jsonl") + "\n---\n")
    (folder / "general.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GENERAL))
    return folder


def main():
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    toolevo, tokenizer_file, work, *exports = sys.argv[1], *map(Path, sys.argv[2:])
    work.mkdir(parents=True)
    tokenizer = make_model(tokenizer_file, work / "model", LlamaForCausalLM)
    words = [word for key, value in HERE.items() for word in ("--set", f"{key}={value}")]
    config = work / "trl.yaml"
    config.write_text(subprocess.run(
        [toolevo, "finetune", *map(str, exports), "--with", str(others(work, exports[1])), "--weights", "1,2,1", "--recipe",
         "qwen2.5-7b-openai", "--model", str(work / "model"), "--out", "none", "--gpus", "0", "--print",
         "--allow-scripted", *words],
        stdout=subprocess.PIPE, text=True, check=True).stdout)
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig, DatasetMixtureConfig))
    _, args, _, mixture = parser.parse_args_and_config(["--config", str(config)])
    args.output_dir, args.disable_tqdm = str(work / "out"), True
    trainer = SFTTrainer(str(work / "model"), args=args, train_dataset=get_dataset(mixture)["train"], processing_class=tokenizer)

    sources = [[json.loads(line) for line in (e / "toolevo_openai.jsonl").open(encoding="utf-8")] for e in exports] + [GENERAL]
    few = min(len(sources[0]), len(sources[1]) / 2, len(sources[2]))
    want = [row["messages"] for rows, share in zip(sources, (few, 2 * few, few)) for row in rows[:round(share)]]
    wants = [tokenizer.apply_chat_template(messages, tokenize=False) for messages in want]
    trained = [tokenizer.decode(row["input_ids"]) for row in trainer.train_dataset]
    if trained != wants:
        print(f"trl: of the mixture {len(trained)} rows are trained, {len(wants)} wanted, or other ones", file=sys.stderr)
        return 1
    loss = trainer.train().training_loss
    print(f"trl: a mixture of {', '.join(str(len(rows)) for rows in sources)} rows by 1:2:1: {len(trained)} trained, loss {loss:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
