"""Trains a tiny model that knows native calls by heart, from an export of toolevo.

    learn.py FOLDER TOOLEVO_SFT.jsonl WINDOW

The samples are messages with tool_calls, and a column tools, as `toolevo export --for trl` writes
them for runs with environment.codec=tools. A random Llama is trained on the model's part of them
under hermes.jinja, until it would write a whole trajectory unchanged seven times in ten. As in
finetune/proof/model.py, each repeated phrase of the texts is a token, and so is each line of the
system text. Needs torch and transformers.
"""

import json
import math
import sys
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

here = Path(__file__).parent
sys.path.insert(0, str(here.parents[2] / "finetune" / "proof"))
from model import TURN, make_tokenizer  # noqa: E402

HIDDEN, HEAD, LAYERS = 128, 64, 2
MARKS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
MOST = 1000  # updates


class Template:
    """The template, applied to the messages and tools of a sample."""

    def __init__(self, tokenizer, sample):
        self.tokenizer, self.messages, self.tools = tokenizer, sample["messages"], json.loads(sample["tools"])

    def render(self, n, **more):
        return self.tokenizer.apply_chat_template(self.messages[:n], tools=self.tools, tokenize=False, **more)

    def batch(self):
        """Returns the ids, and labels for what the model writes."""
        text = self.render(len(self.messages))
        got = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        labels = [-100] * len(got["input_ids"])
        for i, m in enumerate(self.messages):
            if m["role"] != "assistant":
                continue
            begin, end = len(self.render(i, add_generation_prompt=True)), len(self.render(i + 1)) - len("\n")
            for k, (a, b) in enumerate(got["offset_mapping"]):
                if a >= begin and b <= end:
                    labels[k] = got["input_ids"][k]
        return got["input_ids"], labels


def tokenizer_for(samples):
    template = (here / "hermes.jinja").read_text(encoding="utf-8")
    blank = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), chat_template=template)
    lines, texts = [], []
    for s in samples:
        t = Template(blank, s)
        text = t.render(len(t.messages))
        lines += [line for line in text.split(TURN)[0].split("\n") if len(line) > 12 and line not in lines]
        # The end of a turn is a token of its own, so it must not become part of a phrase.
        texts.append(text.split(TURN, 1)[1].replace(TURN, "\n"))
    tokenizer, _ = make_tokenizer(lines, texts)
    tokenizer.add_tokens(MARKS)
    tokenizer.chat_template = template
    return tokenizer


def main(folder, file, window):
    began = time.time()
    samples = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    tokenizer = tokenizer_for(samples)
    rows = [Template(tokenizer, s).batch() for s in samples]
    longest = max(len(ids) for ids, _ in rows)
    written = sum(label >= 0 for _, labels in rows for label in labels) / len(rows)
    fill = [tokenizer.pad_token_id, -100, 0]
    ids, labels, mask = (
        torch.tensor([row + [fill[k]] * (longest - len(row)) for row in column])
        for k, column in enumerate(zip(*((i, t, [1] * len(i)) for i, t in rows), strict=True)))

    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=(len(tokenizer) + 63) // 64 * 64, hidden_size=HIDDEN, intermediate_size=2 * HIDDEN, num_hidden_layers=LAYERS,
        num_attention_heads=HIDDEN // HEAD, num_key_value_heads=HIDDEN // HEAD, head_dim=HEAD, max_position_embeddings=window,
        tie_word_embeddings=True, bos_token_id=None, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    ))
    optimizer, steps, loss = torch.optim.AdamW(model.parameters(), lr=3e-3), 0, math.inf
    while loss * written > -math.log(0.7):
        if steps == MOST:
            sys.exit(f"learn: after {steps} updates the loss of a token is still {loss:.4f}")
        value = model(input_ids=ids, attention_mask=mask, labels=labels).loss
        loss, steps = value.item(), steps + 1
        optimizer.zero_grad()
        value.backward()
        optimizer.step()

    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"learn: {model.num_parameters()} parameters, {len(tokenizer)} tokens; {len(rows)} trajectories of at most {longest} "
          f"tokens, {written:.0f} of them written; {steps} updates, {time.time() - began:.0f} s")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
