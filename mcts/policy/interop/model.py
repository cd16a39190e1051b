"""Writes a tiny Llama with random weights, as a folder that vLLM and Ollama load. Needs only Python.

    model.py FOLDER TOKENIZER.json WINDOW

The tokenizer is a byte-level BPE one with the special tokens of Llama 3. Heads are 64 wide, the
least that vLLM's attention on a CPU takes. Weights, and so completions, are the same on every
machine: they come from a seed. The logits spread enough that the most likely token is clear of the
second, and a text of some hundred tokens rarely ends by itself.
"""

import json
import math
import random
import struct
import sys
from array import array
from pathlib import Path

HIDDEN, HEAD, HEADS, INNER, LAYERS = 128, 64, 2, 256, 2
LOGIT_SPREAD = 2.0  # standard deviation of the logits
BEGIN, END = "<|begin_of_text|>", "<|end_of_text|>"


def tensors(vocabulary):
    """Yields name and shape of every weight, and the standard deviation of its values; 0 is all ones."""
    within = 1 / math.sqrt(HIDDEN)
    yield "model.embed_tokens.weight", (vocabulary, HIDDEN), 1.0
    for layer in range(LAYERS):
        name = f"model.layers.{layer}."
        yield name + "input_layernorm.weight", (HIDDEN,), 0
        for projection in "qkvo":
            yield f"{name}self_attn.{projection}_proj.weight", (HEADS * HEAD, HIDDEN), within
        yield name + "post_attention_layernorm.weight", (HIDDEN,), 0
        yield name + "mlp.gate_proj.weight", (INNER, HIDDEN), within
        yield name + "mlp.up_proj.weight", (INNER, HIDDEN), within
        yield name + "mlp.down_proj.weight", (HIDDEN, INNER), 1 / math.sqrt(INNER)
    yield "model.norm.weight", (HIDDEN,), 0
    yield "lm_head.weight", (vocabulary, HIDDEN), LOGIT_SPREAD * within


def write_weights(path, vocabulary, end):
    """Writes a safetensors file: the length of a header, the header as JSON, the values.

    Returns the number of values.
    """
    dice = random.Random(5)
    header, values = {"__metadata__": {"format": "pt"}}, array("f")
    for name, shape, deviation in tensors(vocabulary):
        begin = 4 * len(values)
        values.extend(dice.gauss(0, deviation) if deviation else 1.0 for _ in range(math.prod(shape)))
        if name == "lm_head.weight":
            row = begin // 4 + end * HIDDEN
            values[row:row + HIDDEN] = array("f", [0.0] * HIDDEN)  # the logit 0, one of the middling ones
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, 4 * len(values)]}
    if sys.byteorder == "big":
        values.byteswap()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        values.tofile(file)
    return len(values)


def main(folder, tokenizer_file, window):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = json.loads(Path(tokenizer_file).read_text(encoding="utf-8"))
    ids = dict(tokenizer["model"]["vocab"])
    ids.update((token["content"], token["id"]) for token in tokenizer["added_tokens"])
    vocabulary = max(ids.values()) + 1

    def write(name, value):
        (folder / name).write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")

    write("tokenizer.json", tokenizer)
    write("tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": BEGIN, "eos_token": END, "pad_token": END,
        "model_max_length": window, "clean_up_tokenization_spaces": False,
        "chat_template": "{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content }}<|eot_id|>"
                         "{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}",
    })
    write("special_tokens_map.json", {"bos_token": BEGIN, "eos_token": END, "pad_token": END})
    write("config.json", {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "torch_dtype": "float32",
        "vocab_size": vocabulary, "hidden_size": HIDDEN, "intermediate_size": INNER, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "num_key_value_heads": HEADS, "head_dim": HEAD, "max_position_embeddings": window,
        "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "attention_bias": False, "mlp_bias": False,
        "tie_word_embeddings": False, "bos_token_id": ids[BEGIN], "eos_token_id": ids[END],
    })
    # Every request overrides these, so the tests notice a server that applies them anyway.
    write("generation_config.json", {
        "bos_token_id": ids[BEGIN], "eos_token_id": ids[END], "do_sample": True, "temperature": 1.7, "top_k": 3,
        "repetition_penalty": 1.3,
    })
    count = write_weights(folder / "model.safetensors", vocabulary, ids[END])
    print(f"model: {count} parameters, {vocabulary} tokens, a window of {window}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
