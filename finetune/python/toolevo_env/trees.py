"""Search trees as training units: the reader and the loss of what `toolevo export --format tree` writes.

    trees, refused = load("export", tokenizer, train="right", max_tokens=8192)
    batch = pack(trees[:2])
    loss(model, batch).backward()

    python -m toolevo_env.trees EXPORT MODEL    # counts the tokens of the sequences and of all paths

A tree becomes one sequence in which each text occurs once. An attention mask lets every token see
what is on its own path from the prompt, and positions are counted along paths, so that the model
computes for each path what it would compute for that path alone. A token weighs as much as it would
in training on all paths, one after the other. It needs torch and, from transformers, a tokenizer
with a chat template and a model whose attention is `eager` or `sdpa`, and reaches from the end of a
path to its beginning in every layer.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch

__all__ = ["TRAIN", "Part", "Tree", "TreeMismatch", "load", "loss", "on_trees", "pack", "read", "tokenize", "weigh"]

TRAIN = ("right", "paths", "advantage", "tree-grpo")
EPSILON = 1e-6


class TreeMismatch(ValueError):
    """A path has other tokens in parts than as a whole, so it cannot be trained in parts."""


@dataclass(frozen=True)
class Part:
    """Tokens that follow those of the part above: the prompt, or an action and its answer."""

    parent: int  # index of the part above, which is before this one; -1 for the prompt
    tokens: list[int]
    trained: int = 0  # how many leading tokens carry loss: those that the model wrote
    advantage: float = 0.0  # among siblings, from the export
    outcome: str = ""  # of an end: "correct", "incorrect", or the limit that the agent ran into
    credit: float = 1.0  # of an end: the weight of its path
    scale: float = 1.0  # the weight of the part's tokens on each path


@dataclass(frozen=True)
class Tree:
    """A search tree in tokens. Part 0 is the prompt."""

    name: str
    question: str
    parts: list[Part]

    @property
    def ends(self) -> list[int]:
        """The indices of the parts with which paths end."""
        return [i for i, part in enumerate(self.parts) if part.outcome]

    def path(self, end: int) -> list[int]:
        """The indices of the parts from the prompt to an end."""
        path = []
        while end >= 0:
            path.append(end)
            end = self.parts[end].parent
        return path[::-1]

    @property
    def tokens(self) -> int:
        """The number of tokens, each prefix once."""
        return sum(len(part.tokens) for part in self.parts)

    @property
    def flat_tokens(self) -> int:
        """The number of tokens of all paths, one by one."""
        return sum(len(self.parts[i].tokens) for end in self.ends for i in self.path(end))

    def below(self, credit: bool) -> list[float]:
        """The sum of the credits of the ends below each part, or their number."""
        sums = [0.0] * len(self.parts)
        for i in reversed(range(len(self.parts))):
            if self.parts[i].outcome:
                sums[i] += self.parts[i].credit if credit else 1
            if i:
                sums[self.parts[i].parent] += sums[i]
        return sums

    def only(self, ends: Iterable[int]) -> Tree:
        """The tree with some of its paths."""
        kept = sorted({i for end in ends for i in self.path(end)})
        places = {-1: -1} | {old: new for new, old in enumerate(kept)}
        return replace(self, parts=[replace(self.parts[i], parent=places[self.parts[i].parent]) for i in kept])

    def split(self, max_tokens: int) -> list[Tree]:
        """Splits the paths among trees of at most max_tokens, unless a single path has more."""
        groups: list[list[int]] = []
        held: set[int] = set()
        for end in self.ends:
            path = self.path(end)
            if not groups or sum(len(self.parts[i].tokens) for i in held.union(path)) > max_tokens:
                groups.append([])
                held = set()
            groups[-1].append(end)
            held.update(path)
        return [self.only(group) for group in groups]


def read(folder: str | Path, dev: bool = False) -> Iterator[dict[str, Any]]:
    """Yields the rows of an export, each with its `name`: run, question and tree.

    Args:
        folder: What `toolevo export --format tree` wrote.
        dev: Reads the held-out rows.
    """
    suffix = "_dev" if dev else ""
    rows, lineage = Path(folder, f"toolevo_tree{suffix}.jsonl"), Path(folder, f"lineage{suffix}.jsonl")
    with rows.open(encoding="utf-8") as file, lineage.open(encoding="utf-8") as origins:
        for line, origin in zip_longest(file, origins):
            row, tree = json.loads(line), json.loads(origin)
            yield {**row, "name": f"{tree['run_id']}/{tree['question_id']}/{tree['tree']}"}


def tokenize(row: dict[str, Any], tokenizer: Any) -> Tree:
    """Makes a tree of a row, tokenised part by part: the prompt with the beginning of a reply, what the
    model wrote with the end of its turn, and the answer with the beginning of the next reply.

    Raises TreeMismatch, with the tree's name, if the tokens of a path are not those that the
    tokenizer's chat template gives for the whole path.
    """
    tools = json.loads(row["tools"]) if row.get("tools") else None

    def shown(messages: list[dict[str, Any]], **how: Any) -> Any:
        return tokenizer.apply_chat_template(messages, tools=tools, **how)

    def tokens(text: str) -> list[int]:
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    name = row.get("name", "a tree")
    said = [row["prompt"]]  # all messages up to each part
    texts = [shown(said[0], tokenize=False, add_generation_prompt=True)]
    tree = Tree(name, json.dumps(row["prompt"]), [Part(-1, tokens(texts[0]))])

    for node in row["nodes"]:
        above = node["parent"] + 1
        messages = [{key: m[key] for key in m if key != "weight"} for m in node["messages"]]
        said.append(said[above] + messages)
        reply = shown(said[above] + messages[:1], tokenize=False)
        texts.append(shown(said[-1], tokenize=False, add_generation_prompt=True) if messages[1:] else reply)

        # Parts can only be shared if a longer conversation leaves the shorter one's text as it is.
        if not reply.startswith(texts[above]) or not texts[-1].startswith(reply):
            raise TreeMismatch(f"{name}: the chat template changes what lies before {node['node_path']}")

        written, answered = tokens(reply[len(texts[above]):]), tokens(texts[-1][len(reply):])
        trained = 0 if node["messages"][0].get("weight") == 0 else len(written)
        tree.parts.append(Part(above, written + answered, trained, node["advantage"], node.get("outcome", "")))

    # A tokenizer may still merge characters across the border of two parts.
    for end in tree.ends:
        whole = shown(said[end], tokenize=True, return_dict=False)
        if whole != [t for i in tree.path(end) for t in tree.parts[i].tokens]:
            raise TreeMismatch(f"{name}: the path to {row['nodes'][end - 1]['node_path']} has other tokens as a whole")
    return tree


def weigh(trees: list[Tree], train: str) -> list[Tree]:
    """Weighs the paths and actions of trees for training.

    Args:
        trees: All trees of a question together, for "tree-grpo".
        train: "right": only trajectories that ended right, as in fine-tuning. "paths": all, equally.
            "advantage": all, each action by its advantage among its siblings. "tree-grpo": all, by
            their advantages in Tree-GRPO's published code (`adv_estimator=tree`): the reward of an
            end, normalised among the ends of its tree, plus the same among the ends of all trees of
            the question.
    """
    if train not in TRAIN:
        raise ValueError(f"train is {train!r}: want one of {', '.join(TRAIN)}")
    if train == "right":
        right = [tree.only(i for i in tree.ends if tree.parts[i].outcome == "correct") for tree in trees]
        return [tree for tree in right if tree.parts]
    if train == "advantage":
        return [replace(t, parts=[replace(p, scale=p.advantage) for p in t.parts]) for t in trees]
    if train == "paths":
        return trees

    rewards, questions = [], defaultdict(list)
    for tree in trees:
        rewards.append([1.0 if tree.parts[i].outcome == "correct" else -1.0 for i in tree.ends])
        questions[tree.question] += rewards[-1]
    weighed = []
    for tree, own in zip(trees, rewards, strict=True):
        credits = dict(zip(tree.ends, map(sum, zip(_normal(own, own), _normal(own, questions[tree.question])))))
        weighed.append(replace(tree, parts=[replace(p, credit=credits.get(i, 1.0)) for i, p in enumerate(tree.parts)]))
    return weighed


def _normal(rewards: list[float], group: list[float]) -> list[float]:
    """Normalises rewards by the mean and standard deviation of a group. A group of one keeps its
    reward, as in the published code."""
    if len(group) == 1:
        return [r / (1 + EPSILON) for r in rewards]
    return [(r - mean(group)) / (stdev(group) + EPSILON) for r in rewards]


def load(
    folder: str | Path, tokenizer: Any, train: str = "right", max_tokens: int = 0, dev: bool = False
) -> tuple[list[Tree], list[str]]:
    """Reads an export as trees, and says which of them cannot be trained in this form.

    Args:
        folder: What `toolevo export --format tree` wrote.
        tokenizer: The model's, with its chat template.
        train: See weigh.
        max_tokens: Splits trees that have more: a mask grows with the square. 0 splits none.
        dev: Reads the held-out rows.
    """
    trees, refused = [], []
    for row in read(folder, dev):
        try:
            trees.append(tokenize(row, tokenizer))
        except TreeMismatch as e:
            refused.append(str(e))
    trees = weigh(trees, train)
    return [part for t in trees for part in (t.split(max_tokens) if max_tokens else [t])], refused


def pack(trees: list[Tree], dtype: torch.dtype = torch.float32) -> dict[str, torch.Tensor]:
    """Makes a batch of trees, one per sequence, as a data collator does.

    Args:
        trees: What load returns.
        dtype: The model's.

    Returns:
        input_ids, position_ids and weights (trees, tokens); previous, the index of the token before
        each; attention_mask (trees, 1, tokens, tokens), 0 where a token sees another and very negative
        elsewhere; and count, the number of tokens that training on each path by itself would train.
    """
    shape = len(trees), max(tree.tokens for tree in trees)
    ids, positions, previous = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    weights, count = torch.zeros(shape), 0.0
    # Padding sees itself, so that attention has something to see in every row.
    sees = torch.eye(shape[1], dtype=torch.bool).repeat(shape[0], 1, 1)

    for row, tree in enumerate(trees):
        credits, paths = tree.below(credit=True), tree.below(credit=False)
        starts, depths = [], []  # of each part: the index of its first token, and its position
        on_path = torch.eye(len(tree.parts), dtype=torch.bool)
        at = 0
        for i, part in enumerate(tree.parts):
            size, above = len(part.tokens), part.parent
            starts.append(at)
            depths.append(depths[above] + len(tree.parts[above].tokens) if i else 0)
            here = slice(at, at + size)
            ids[row, here] = torch.tensor(part.tokens)
            positions[row, here] = torch.arange(depths[i], depths[i] + size)
            previous[row, here] = torch.arange(at - 1, at + size - 1)
            if i:
                on_path[i] |= on_path[above]
                # The first token follows the last one of the part above, not its neighbour in the sequence.
                previous[row, at] = starts[above] + len(tree.parts[above].tokens) - 1
            weights[row, at:at + part.trained] = credits[i] * part.scale
            count += part.trained * paths[i]
            at += size
        part_of = torch.repeat_interleave(torch.tensor([len(part.tokens) for part in tree.parts]))
        sees[row, :at, :at] = on_path[part_of][:, part_of].tril()

    mask = torch.zeros(sees.shape, dtype=dtype).masked_fill(~sees, torch.finfo(dtype).min)
    return {"input_ids": ids, "position_ids": positions, "attention_mask": mask[:, None], "previous": previous,
            "weights": weights, "count": torch.tensor(count)}


def _check(model: Any, positions: torch.Tensor) -> None:
    """Refuses a model whose layers would not see what the mask of a tree says: transformers gives a
    mask of this form to all of them as it is."""
    # A wrapped model has it inside.
    config = getattr(getattr(model, "module", model), "config", None)
    kind = getattr(config, "_attn_implementation", "eager")
    if kind not in ("eager", "sdpa"):
        raise ValueError(f"the model's attention is {kind}, which takes no mask of a tree: load it with "
                         'attn_implementation="sdpa"')
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    layers = set(getattr(text, "layer_types", None) or ())
    if others := layers - {"full_attention", "sliding_attention"}:
        raise ValueError(f"the model has layers of {', '.join(sorted(others))}, which take no mask "
                         "of a tree: train it on paths")
    window = getattr(text, "sliding_window", None)
    if window and (not layers or "sliding_attention" in layers) and int(positions.max()) >= window:
        raise ValueError(f"a path has {int(positions.max()) + 1} tokens, and layers of the model "
                         f"see the last {window}: train it on paths, or on shorter ones")


def loss(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """Returns the weighted mean of the negative log-likelihoods that training on all paths would
    have. With advantages it is the policy gradient at the model that wrote the trees: nothing is
    clipped."""
    _check(model, batch["position_ids"])
    logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                   position_ids=batch["position_ids"], use_cache=False).logits
    rows, places = batch["weights"].nonzero(as_tuple=True)
    written = logits[rows, batch["previous"][rows, places]].float()
    lost = torch.nn.functional.cross_entropy(written, batch["input_ids"][rows, places], reduction="none")
    return (lost * batch["weights"][rows, places]).sum() / batch["count"]


def on_trees(base: type) -> type:
    """Derives a trainer with this loss from transformers' Trainer or one like it. Its dataset is what
    load returns, its data_collator is pack, and it needs remove_unused_columns=False."""

    class OnTrees(base):  # type: ignore[misc, valid-type]
        def compute_loss(
            self, model: Any, inputs: dict[str, torch.Tensor], return_outputs: bool = False, **_: Any
        ) -> Any:
            value = loss(model, inputs)
            return (value, {"loss": value.detach()}) if return_outputs else value

    return OnTrees


def _main(folder: str, model: str) -> None:
    """Prints how many tokens of a model an export has."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    for train in ("right", "paths"):
        trees, refused = load(folder, tokenizer, train)
        one, flat = sum(t.tokens for t in trees), sum(t.flat_tokens for t in trees)
        print(f"{train}: {len(trees)} trees, {sum(len(t.ends) for t in trees)} paths, {one} tokens instead of {flat} "
              f"({one / max(flat, 1):.1%}), {max((t.tokens for t in trees), default=0)} in the largest tree")
    print(*refused, sep="\n", end="\n" * bool(refused))


if __name__ == "__main__":
    _main(*sys.argv[1:])
