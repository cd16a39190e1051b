"""Renders samples with LLaMA-Factory's own templates, for the test that holds ours against them.

Reads {"cases": [{"template", "sample": {"system", "conversations"}, "prompts": [ours before each reply]}]} on stdin.
Writes {"version", "cases": [{"prompts": [theirs before each reply], "whole", "same_tokens": [...]}]} on stdout. The samples go
through LLaMA-Factory's sharegpt converter and encode_multiturn. same_tokens says for each of our prompts whether it is, as
one text to which nothing is added, the very tokens that are trained. The tokenizers are made on the spot.
"""

import json
import os
import sys
from importlib.metadata import version

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", CUDA_VISIBLE_DEVICES="", TOKENIZERS_PARALLELISM="false")
replies = sys.stdout
sys.stdout = sys.stderr  # what libraries print

from llamafactory.data.converter import SharegptDatasetConverter  # noqa: E402
from llamafactory.data.parser import DatasetAttr  # noqa: E402
from llamafactory.data.template import TEMPLATES  # noqa: E402
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: E402
from transformers import PreTrainedTokenizerFast  # noqa: E402

SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>"]
QWEN = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def make_tokenizer(texts, template):
    """A byte-level BPE tokenizer of 800 tokens with the special tokens of the template's models."""
    llama = template == "llama3"
    special = LLAMA if llama else QWEN
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=800, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    ))
    if not llama:  # tokens of their own in Qwen 3, though not special ones
        tokenizer.add_tokens([AddedToken(t, normalized=False) for t in ("<tool_response>", "</tool_response>")])
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|begin_of_text|>" if llama else None,
        eos_token=special[1] if llama else special[0], pad_token=special[1] if llama else special[0],
    )
    TEMPLATES[template].fix_special_tokens(made)
    return made


def encode(convert, template, tokenizer, case):
    example = convert(case["sample"])
    messages = example["_prompt"] + example["_response"]
    pairs = template.encode_multiturn(tokenizer, messages, example["_system"], example["_tools"])

    def decode(ids):
        return tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)

    ids, prompts, same = [], [], []
    for (source, target), ours in zip(pairs, case["prompts"], strict=True):
        ids += source
        prompts.append(decode(ids))
        same.append(tokenizer.encode(ours, add_special_tokens=False) == ids)
        ids += target
    return {"prompts": prompts, "same_tokens": same, "whole": decode(ids)}


def main():
    cases = json.load(sys.stdin)["cases"]
    attributes = DatasetAttr("file", "toolevo_sft")
    attributes.join({"formatting": "sharegpt", "columns": {"messages": "conversations", "system": "system"}})
    convert = SharegptDatasetConverter(attributes, None)
    texts = [m["value"] for c in cases for m in c["sample"]["conversations"]]
    tokenizers, answers = {}, []
    for case in cases:
        name = case["template"]
        if name not in tokenizers:
            tokenizers[name] = make_tokenizer(texts, name)
        answers.append(encode(convert, TEMPLATES[name], tokenizers[name], case))
    json.dump({"version": version("llamafactory"), "cases": answers}, replies)


if __name__ == "__main__":
    main()
