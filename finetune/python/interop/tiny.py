"""Makes a tiny model that plays some solutions right half of the time, so that GRPO sees different rewards.

    tiny.py FOLDER URL EPISODES.jsonl

EPISODES.jsonl is that of `toolevo eval` on tasks that the server at URL serves. Each of its episodes
is replayed there with tool calls, and a random Llama of some 500 k parameters is trained on what a
model would write in it, until a whole episode is right with probability 1/2. As in
finetune/proof/model.py, each repeated phrase of the texts is one token.
"""

import json
import math
import sys
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl.chat_template_utils import qwen2_5_chat_template, qwen2_5_training_chat_template

from toolevo_env import ToolEvoEnv, environment

sys.path.insert(0, str(Path(__file__).parents[2] / "proof"))
from model import make_tokenizer  # noqa: E402

WINDOW, HIDDEN, HEADS, LAYERS = 4096, 128, 2, 2
MARKS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
MOST = 1000  # updates


def conversation(env: ToolEvoEnv, episode: dict) -> list[dict]:
    """A solution as the messages of a chat. When it has answered, the model says no more. UpdateTool is left out, which
    it can do without, and which takes half of the tokens."""
    asked = env.reset(task_id=episode["question_id"], api=episode["deployed_api"], seed=0)
    messages = [{"role": "user", "content": asked}]
    for turn in episode["turns"]:
        if turn["api"] == "UpdateTool":
            continue
        name, given = turn["api"], json.loads(turn["action"].rsplit("\nAction Input: ", 1)[1])
        call = {"type": "function", "function": {"name": name, "arguments": given}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "name": name, "content": env[name](**given)})
    if env.trace[-1]["reward"] != 1:
        sys.exit(f"tiny: {episode['question_id']} is no solution: {env.trace[-1]}")
    return [*messages, {"role": "assistant", "content": ""}]


def tokenizer_for(conversations: list[list[dict]], tools: list) -> PreTrainedTokenizerFast:
    blank = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    begin, end = "<|im_start|>system\n", "<|im_end|>"
    texts = [
        blank.apply_chat_template(c, tools=tools, chat_template=qwen2_5_chat_template, tokenize=False)
        for c in conversations
    ]
    system = texts[0].removeprefix(begin).split(end)[0]
    # The end of a turn is a token of its own, not part of a phrase.
    tokenizer, _ = make_tokenizer([system], [text.split(end, 1)[1].replace(end, "\n") for text in texts])
    tokenizer.add_tokens(MARKS)
    tokenizer.chat_template = qwen2_5_chat_template
    return tokenizer


def samples(conversations: list[list[dict]], tools: list, tokenizer: PreTrainedTokenizerFast) -> dict[str, torch.Tensor]:
    """Puts all conversations into one batch, with labels for what the model should write."""
    batch = {"input_ids": [], "attention_mask": [], "labels": []}
    for c in conversations:
        got = tokenizer.apply_chat_template(
            c, tools=tools, chat_template=qwen2_5_training_chat_template, return_dict=True, return_assistant_tokens_mask=True)
        ids, written = got["input_ids"], got["assistant_masks"]
        batch["input_ids"].append(ids)
        batch["attention_mask"].append([1] * len(ids))
        batch["labels"].append([i if w else -100 for i, w in zip(ids, written, strict=True)])
    longest = max(map(len, batch["input_ids"]))
    fill = {"input_ids": tokenizer.pad_token_id, "attention_mask": 0, "labels": -100}
    return {k: torch.tensor([row + [fill[k]] * (longest - len(row)) for row in rows]) for k, rows in batch.items()}


def main(folder: str, url: str, file: str) -> None:
    began = time.time()
    kind = environment(url)
    env = kind()
    tools = [getattr(env, name) for name in sorted(vars(kind)) if not name.startswith("_")]  # as TRL orders them
    conversations = [conversation(env, json.loads(line)) for line in Path(file).read_text().splitlines()]
    tokenizer = tokenizer_for(conversations, tools)
    batch = samples(conversations, tools, tokenizer)
    written = int((batch["labels"] >= 0).sum()) / len(conversations)

    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=(len(tokenizer) + 63) // 64 * 64, hidden_size=HIDDEN, intermediate_size=3 * HIDDEN,
        num_hidden_layers=LAYERS, num_attention_heads=HEADS, num_key_value_heads=HEADS, max_position_embeddings=WINDOW,
        tie_word_embeddings=True, bos_token_id=None, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    ))
    optimizer, steps, loss = torch.optim.AdamW(model.parameters(), lr=3e-3), 0, math.inf
    while loss * written > math.log(2):
        if steps == MOST:
            sys.exit(f"tiny: after {steps} updates the loss of a token is still {loss:.4f}")
        value = model(**batch).loss
        loss, steps = value.item(), steps + 1
        optimizer.zero_grad()
        value.backward()
        optimizer.step()

    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"tiny: {model.num_parameters()} parameters, {len(conversations)} solutions of {batch['input_ids'].shape[1]} "
          f"tokens at most, {written:.0f} of them written; {steps} updates, {time.time() - began:.0f} s")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
