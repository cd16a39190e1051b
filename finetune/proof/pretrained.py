"""Writes the weights of a GGUF file as a folder that trainers read.

    pretrained.py FOLDER FILE.gguf

Needs transformers and gguf. The weights are of float32, as precise as the file has them.
"""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

END = "<|im_end|>"  # ends a turn; the file's tokenizer names another


def main(folder, file):
    file = Path(file)
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    tokenizer.eos_token, tokenizer.pad_token = END, "<|endoftext|>"

    model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    # Newer versions refuse to write what was read from such a file, though it is dequantised.
    model.hf_quantizer = None
    vars(model.config).pop("quantization_config", None)
    for config in model.config, model.generation_config:
        config.eos_token_id, config.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id

    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"model: {sum(p.numel() for p in model.parameters())} parameters, from {file.name}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
