"""Writes the fixtures of this folder with the `tokenizers` package (0.22): small tokenizers and what they answer.

    python make.py

For each split pattern a byte-level BPE tokenizer NAME.json is trained on a few lines; NAME.ids.json holds a list of
[text, ids] pairs of encode(text, add_special_tokens=False).
"""

import json
import random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace("{1,3}", "")
QWEN35 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA_SPECIAL = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>"]
QWEN_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]

LINES = [
    "Question: What was the daily coffee price increase from 2001-09-17 to 2001-09-18?",
    'Thought: I need the database.\nAction: LoadDB\nAction Input: {"DBName": "coffee"}',
    'Action: FilterDB\nAction Input: {"condition": "Date=2001-09-17, Volume>=1200"}',
    "We have successfully loaded the coffee database, including the following columns: Date, Open, High, Low, Close.",
    "Error: GetValue is deprecated and doesn't exist any more; you'll call FetchValue_ByKey instead.",
    "def f(x):\n    return x * 1000 + 25\n\n\nprint(f(12345))\n",
    "The answer is 1,234.56 and -7 percent. It's what they've asked; I'd say we're done.",
]

TEXTS = LINES + [
    "",
    " ",
    "   ",
    "\n",
    " \n \n\n  x",
    "\t\tx  y   \n",
    "a\r\nb\r\n\r\nc",
    "x \u00a0\u3000 y\u2028z",
    "It'S WE'RE I'Ll 'D 'M 'Ve 'T '\u017f 's's'x 'l 'r",
    "1234567890 12 3.14159 ½ ² Ⅷ ٣٤٥",
    "naïve café cafe\u0301 Å A\u030a ﬁ Ⅸ",
    "你好，世界！日本語のテキスト 한국어 ไทย नमस्ते मराठी",
    "emoji 👩‍👩‍👧‍👦🏽 ok 🇫🇷",
    "!!!???...\n\n---===>>>\r\n  ***",
    " 'quoted' \"double\" `tick` (paren)[x]{y}<z>",
    "<|im_start|>user\nhi<|im_end|>\n<|eot_id|><|eot_id|> <|eot_id",
    "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nA<|eot_id|>",
    "<<|eot_id|>> <|im_end|x|> <tool_call> </tool_call>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb",
    "\x00\x01\x7f control \ufeff bom \u200b zero",
    "_under_score camelCase HTTPServer x=1;y=2",
    "é" * 5 + "e\u0301" * 5,
    "\u0301\u0301 starts with marks",
    "'",
    "''s",
    " ' s",
]


def fuzz_texts():
    rng = random.Random(4)
    alphabet = list("aZ é1٣½ \n\r\t'’s.!<|>_{}\u0301क्中👍\u00a0\u0085\u017f") + ["<|eot_id|>", "<|im_end|>", "'ll", "'S", "  ", "\n\n"]
    return ["".join(rng.choice(alphabet) for _ in range(rng.randint(1, 40))) for _ in range(150)]


def build(name, pattern, special, nfc=False, ignore_merges=False, added=(), fallback=False):
    tok = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if fallback:  # as transformers has written SmolLM2's: bytes that the training never met are in no token
        tok = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token=special[0]))
    if nfc:
        tok.normalizer = normalizers.NFC()
    if pattern is None:
        tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    else:
        tok.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ])
    tok.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=special, show_progress=False,
        initial_alphabet=[] if fallback else pre_tokenizers.ByteLevel.alphabet(),
    )
    tok.train_from_iterator(LINES, trainer)
    tok.add_tokens([AddedToken(t, normalized=False) for t in added])
    with open(f"{name}.json", "w", encoding="utf-8") as f:
        json.dump(json.loads(tok.to_str()), f, ensure_ascii=False, separators=(",", ":"))
        f.write("\n")
    pairs = [[t, tok.encode(t, add_special_tokens=False).ids] for t in TEXTS + fuzz_texts()]
    with open(f"{name}.ids.json", "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(p, separators=(",", ":")) for p in pairs) + "\n]\n")


build("llama3", LLAMA3, LLAMA_SPECIAL, ignore_merges=True)
build("qwen2", QWEN2, QWEN_SPECIAL, nfc=True, added=("<tool_call>", "</tool_call>"))
build("qwen35", QWEN35, QWEN_SPECIAL, nfc=True)
build("gpt2", None, ["<|endoftext|>"])
build("smollm2", None, QWEN_SPECIAL, fallback=True)
