"""Makes a Llama of some two million random parameters, with a tokenizer for the texts of an environment.

    model.py FOLDER SAMPLES.jsonl…

SAMPLES are exports of the format sft-trajectory. What they repeat, phrase for phrase, is a token each, and so is the
system text: on a processor, a model learns in minutes what to do, not how to spell. What varies (names, dates, values) is
spelled in pieces that a byte-pair encoding finds, digits one by one. The pre-tokenizer is Qwen2's, which llama.cpp and
Ollama know. Needs transformers.
"""

import collections
import json
import re
import sys
from pathlib import Path

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

HIDDEN, HEAD, LAYERS, VOCABULARY, WINDOW = 192, 64, 4, 1024, 4096
PHRASES = 256  # at most
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
END, BEGIN, TURN = "<|endoftext|>", "<|im_start|>", "<|im_end|>"

# What varies: numbers, values in quotation marks, lists, names.
VARIES = re.compile(
    r'\d+|\\\\"[^"\\\\]*\\\\"|"[^" ]*"|\[[^\]]*\]|\{|\}|[A-Za-z_]*[A-Za-z]_[A-Za-z_]*|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\n'
)


def phrases_of(texts):
    """What stands between things that vary, and whole lines, where they are long and return."""
    count = collections.Counter()
    for text in texts:
        for piece in VARIES.split(text):
            piece = piece.rstrip()  # the blank before a name is the name's
            if len(piece) >= 12 and " " in piece:
                count[piece] += 1
        for line in text.split("\n"):
            if 12 <= len(line) <= 160 and not re.search(r"\d", line):
                count[line] += 1
    often = [p for p, n in count.most_common() if n >= max(8, len(texts) / 100)]
    return sorted(often[:PHRASES], key=len, reverse=True)


def make_tokenizer(systems, texts):
    phrases = phrases_of(texts)
    rest = []
    for text in texts:
        for phrase in phrases:
            text = text.replace(phrase, "\n")
        rest.append(text)

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN2), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(rest, trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[END, BEGIN, TURN],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
    ))
    whole = [*systems, *phrases, "assistant", "system"]
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in whole])

    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=TURN, pad_token=END, additional_special_tokens=[BEGIN],
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = (
        "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    )
    return fast, len(phrases)


def main(folder, *samples):
    systems, texts = [], []
    for file in samples:
        for line in Path(file).read_text(encoding="utf-8").splitlines()[:1500]:
            row = json.loads(line)
            if row["system"] not in systems:
                systems.append(row["system"])
            texts.append("\n".join(m["value"] for m in row["conversations"]))

    tokenizer, phrases = make_tokenizer(systems, texts)
    vocabulary = (len(tokenizer) + 63) // 64 * 64
    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=vocabulary, hidden_size=HIDDEN, intermediate_size=HIDDEN * 11 // 4 // 64 * 64, num_hidden_layers=LAYERS,
        num_attention_heads=HIDDEN // HEAD, num_key_value_heads=HIDDEN // HEAD, head_dim=HEAD,
        max_position_embeddings=WINDOW, tie_word_embeddings=True, rope_theta=10000.0, bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, initializer_range=0.02,
    ))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)

    lengths = [len(tokenizer(text)["input_ids"]) for text in texts]
    print(f"model: {sum(p.numel() for p in model.parameters())} parameters, {len(tokenizer)} tokens, {phrases} of them "
          f"phrases; a sample has {sum(lengths) // len(lengths)} tokens, {max(lengths)} at most")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
