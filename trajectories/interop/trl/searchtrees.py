"""Trains search trees in one sequence each, and compares the gradients with training on all their paths, one by one.

    searchtrees.py TOKENIZERS_DIR WORK_DIR EXPORT_DIR…

The exports are of the format tree. Under a chat template of Llama 3 that marks what the assistant writes, the tokens and
the marks of each path are taken from the template, and of toolevo_env.trees nothing but what it is to prove: on a random
Llama in float32, for each tree and each way to weigh it, the gradients of both differ by at most TOLERANCE of their size.
With another mask they differ more. Under the template of Qwen2.5, tokens of all paths are those of the template. Trainer
and SFTTrainer take the trees, and models whose layers see too little are refused. Exit 1 and a
line for each difference when something is wrong.
"""

import itertools
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev
from types import SimpleNamespace

import torch
import trl
from datasets import Dataset
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast, Trainer, TrainingArguments

import train
from toolevo_env import trees
from train import make_model, wrong

TOLERANCE = 1e-4
WANTED = 50  # trees


def normal(rewards, group):
    """compute_grpo_outcome_advantage of Tree-GRPO's published code."""
    middle, spread = (mean(group), stdev(group)) if len(group) > 1 else (0, 1)
    return [(r - middle) / (spread + 1e-6) for r in rewards]


class Flat:
    """A row as its paths, one by one."""

    def __init__(self, row, tokenizer):
        self.paths = []  # of each: its tokens, the places of trained ones with the node they are of, the nodes
        for end, node in enumerate(row["nodes"]):
            if "outcome" not in node:
                continue
            nodes = [end]
            while row["nodes"][nodes[0]]["parent"] >= 0:
                nodes.insert(0, row["nodes"][nodes[0]]["parent"])
            messages = row["prompt"] + [m for i in nodes for m in row["nodes"][i]["messages"]]
            told = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)
            marked, of = [], iter(nodes)
            for is_marked, group in itertools.groupby(enumerate(told["assistant_masks"]), key=lambda pair: pair[1]):
                if is_marked:
                    i = next(of)
                    if row["nodes"][i]["messages"][0].get("weight") != 0:
                        marked += [(at, i) for at, _ in group]
            self.paths.append((told["input_ids"], marked, row["nodes"][end]["outcome"] == "correct"))
        self.advantages = [node["advantage"] for node in row["nodes"]]
        self.rewards = [1 if right else -1 for _, _, right in self.paths]

    def weights(self, how, question):
        """What each trained token of each path weighs, None for a path that is not trained."""
        credits = [a + b for a, b in zip(normal(self.rewards, self.rewards), normal(self.rewards, question))]
        for (_, marked, right), credit in zip(self.paths, credits):
            if how == "right" and not right:
                yield None
            elif how == "advantage":
                yield [self.advantages[i] for _, i in marked]
            else:
                yield [credit if how == "tree-grpo" else 1.0] * len(marked)

    def gradients(self, model, question, ways):
        """Those of some ways to weigh."""
        ways = {how: list(self.weights(how, question)) for how in ways}
        sums = {how: [torch.zeros_like(p) for p in model.parameters()] for how in ways}
        for n, (ids, marked, _) in enumerate(self.paths):
            places = torch.tensor([at for at, _ in marked])
            ids = torch.tensor([ids])
            likelihoods = model(input_ids=ids).logits[0, places - 1].log_softmax(-1)
            likelihoods = likelihoods[torch.arange(len(places)), ids[0, places]]
            for how, weights in ways.items():
                if weights[n] is not None:
                    lost = -(likelihoods * torch.tensor(weights[n])).sum()
                    for total, g in zip(sums[how], torch.autograd.grad(lost, list(model.parameters()), retain_graph=True)):
                        total += g
        for how, weights in ways.items():
            count = sum(len(w) for w in weights if w is not None)
            sums[how] = [g / count for g in sums[how]]
        return sums


def packed(model, batch):
    return torch.autograd.grad(trees.loss(model, batch), list(model.parameters()))


def differ(got, want):
    """The largest difference of a parameter's gradients, as a share of their size."""
    size = sum(g.norm() ** 2 for g in want) ** 0.5
    if size < 1e-6:  # advantages of 0
        return 0.0 if all(g.norm() < 1e-6 for g in got) else 1.0
    return max(float((a - b).norm() / max(b.norm(), 1e-2 * size)) for a, b in zip(got, want))


def check_gradients(folder, tokenizer, models, rows):
    """Compares every tree of an export, the first few under every way to weigh it, and the others under one of these in
    turn. Returns the largest difference, and the trees."""
    tokens = [trees.tokenize(row, tokenizer) for row in rows]
    flat = [Flat(row, tokenizer) for row in rows]
    questions = defaultdict(list)
    for row, f in zip(rows, flat):
        questions[str(row["prompt"])] += f.rewards
    ways = {how: trees.weigh(tokens, how) for how in trees.TRAIN}
    worst = 0.0  # of all differences
    for i, (row, f) in enumerate(zip(rows, flat)):
        model = models[i == 0]
        some = trees.TRAIN if i < 2 else [trees.TRAIN[i % len(trees.TRAIN)]]
        for how, want in f.gradients(model, questions[str(row["prompt"])], some).items():
            got = packed(model, trees.pack([ways[how][i]]))
            worst = max(worst, differ(got, want))
            if differ(got, want) > TOLERANCE:
                wrong(f"{folder.name}: {row['name']}, {how}: gradients differ by {differ(got, want):.2g} of their size")

    # Two trees beside each other, and one in pieces, are what they are by themselves; a plain causal mask is not.
    model, pair = models[0], ways["paths"][:2]
    alone = [trees.pack([t]) for t in pair]
    counts = [float(b["count"]) for b in alone]
    each = [packed(model, b) for b in alone]
    want = [(a * counts[0] + b * counts[1]) / sum(counts) for a, b in zip(*each)]
    pieces = pair[0].split(pair[0].tokens // 2)
    together = [(float(b["count"]), packed(model, b)) for b in (trees.pack([t]) for t in pieces)]
    again = [sum(n * g for n, g in zip([n for n, _ in together], gs)) / counts[0]
             for gs in zip(*(g for _, g in together))]
    if len(pieces) < 2 or differ(packed(model, trees.pack(pair)), want) > TOLERANCE or differ(again, each[0]) > TOLERANCE:
        wrong(f"{folder.name}: trees beside each other, or {len(pieces)} pieces of one, are trained otherwise")
    alone[0]["attention_mask"] = torch.full_like(alone[0]["attention_mask"], -1e9).triu(1)
    if differ(packed(model, alone[0]), each[0]) < 100 * TOLERANCE:
        wrong(f"{folder.name}: a plain causal mask makes no difference: this shows nothing")
    return worst, tokens


def tokenizer_for(exports, like, work):
    """A tokenizer of the kind of another with merges of these texts, so that the paths of all trees are trained in a
    minute."""
    texts = (m["content"] for rows in exports for row in rows for n in row["nodes"] for m in row["prompt"] + n["messages"])
    PreTrainedTokenizerFast(tokenizer_file=str(like)).train_new_from_iterator(texts, 2000).save_pretrained(work / "tokenizer")
    return work / "tokenizer/tokenizer.json"


def check_trainers(work, folder, model, tokenizer):
    """Both trainers train trees, and their first loss is that of the first tree."""
    some, _ = trees.load(folder, tokenizer)
    some = sorted(some, key=lambda t: t.tokens)[:2]
    want = float(trees.loss(model, trees.pack(some)).detach())
    how = dict(max_steps=1, per_device_train_batch_size=2, report_to="none", remove_unused_columns=False, logging_steps=1,
               use_cpu=True, bf16=False, learning_rate=1e-3, disable_tqdm=True)
    for name, base, args, data in (
        ("Trainer", Trainer, TrainingArguments(str(work / "plain"), **how), some),
        ("SFTTrainer", trl.SFTTrainer, trl.SFTConfig(
            str(work / "sft"), dataset_kwargs={"skip_prepare_dataset": True}, **how), Dataset.from_dict({"tree": [0, 1]})),
    ):
        def collate(rows):
            return trees.pack([some[r["tree"]] if isinstance(r, dict) else r for r in rows])

        again = LlamaForCausalLM.from_pretrained(model.config._name_or_path)
        extra = {"processing_class": tokenizer} if base is trl.SFTTrainer else {}
        trainer = trees.on_trees(base)(model=again, args=args, train_dataset=data, data_collator=collate, **extra)
        trainer.train()
        got = [log["loss"] for log in trainer.state.log_history if "loss" in log]
        if not got or abs(got[0] - want) > 1e-3:
            wrong(f"{name}: the loss of the first step is {got}, want {want}")


class Fake(SimpleNamespace):
    """A model, or what a trainer wraps around one."""

    def __call__(self, input_ids, **_):
        return SimpleNamespace(logits=torch.zeros(*input_ids.shape, 2))


def check_refusals():
    """Models whose layers do not see what a mask says are refused, for a path of eight tokens, and
    no others."""
    zeros, row = torch.zeros(1, 8, dtype=torch.long), torch.arange(8)[None]
    batch = {"input_ids": zeros, "attention_mask": None, "position_ids": row, "previous": zeros,
             "weights": row + 1.0, "count": torch.tensor(8.0)}
    full, sliding = "full_attention", "sliding_attention"
    for settings, is_refused in (
        ({}, False),
        ({"sliding_window": None, "layer_types": None}, False),
        ({"sliding_window": 8}, False),
        ({"sliding_window": 7}, True),
        ({"sliding_window": 7, "layer_types": [full]}, False),
        ({"sliding_window": 8, "layer_types": [sliding, full]}, False),
        ({"sliding_window": 7, "layer_types": [sliding, full]}, True),
        ({"layer_types": ["linear_attention", full]}, True),
        ({"layer_types": ["conv", full]}, True),
    ):
        config = SimpleNamespace(**settings)
        with_images = SimpleNamespace(get_text_config=lambda: config)
        plain = Fake(config=config)
        for model in plain, Fake(config=with_images), Fake(module=plain):
            try:
                trees.loss(model, batch)
                was_refused = False
            except ValueError:
                was_refused = True
            if was_refused != is_refused:
                wrong(f"{model} is {'refused' if was_refused else 'trained'}")


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    tokenizers, work, folders = Path(sys.argv[1]), Path(sys.argv[2]), [Path(f) for f in sys.argv[3:]]
    work.mkdir(parents=True)
    torch.manual_seed(1)
    exports = [list(trees.read(folder)) for folder in folders]
    make_model(tokenizer_for(exports, tokenizers / "llama3.json", work), work / "model", LlamaForCausalLM)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(work / "model")
    models = [LlamaForCausalLM.from_pretrained(work / "model", attn_implementation=how) for how in ("sdpa", "eager")]
    qwen = PreTrainedTokenizerFast(tokenizer_file=str(tokenizers / "qwen2.json"))
    qwen.chat_template = (Path(trl.__file__).parent / "chat_templates/qwen2_5.jinja").read_text()

    found, worst = [], 0.0
    for folder, rows in zip(folders, exports):
        difference, some = check_gradients(folder, tokenizer, models, rows)
        worst, found = max(worst, difference), found + some
        others, refused = trees.load(folder, qwen, "paths")
        if refused or len(others) != len(rows):
            wrong(f"{folder.name}: {len(others)} of {len(rows)} trees under Qwen2.5's template, refused: {refused[:3]}")
    qwen.chat_template = "{{ messages | length }} messages. " + tokenizer.chat_template
    others, refused = trees.load(folders[0], qwen, "paths")
    if others or len(refused) != len(exports[0]) or not refused[0].startswith(exports[0][0]["name"]):
        wrong(f"a template that changes the beginning of a path is trained: {len(others)} trees, refused: {refused[:3]}")
    check_trainers(work, folders[0], models[0], tokenizer)
    check_refusals()
    if len(found) < WANTED:
        wrong(f"{len(found)} trees, want {WANTED}")
    print(f"trees: {len(found)} trees, gradients of one sequence and of {sum(len(t.ends) for t in found)} paths differ by "
          f"{worst:.1g} at most; {sum(t.tokens for t in found)} tokens instead of {sum(t.flat_tokens for t in found)}")
    return 1 if train.failures else 0


if __name__ == "__main__":
    sys.exit(main())
