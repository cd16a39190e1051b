"""Reads corpus.yaml with vLLM's own parsers of tool calls, and writes what they say to vllm.json beside it.

Run it with the Python of the environment that mcts/policy/interop/vllm-install.sh makes. No model is loaded: all that
the parsers ask of a tokenizer is its vocabulary.
"""

import json
import logging
import os
import sys
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", VLLM_LOGGING_LEVEL="CRITICAL", VLLM_NO_USAGE_STATS="1")

import yaml  # noqa: E402
from vllm import __version__  # noqa: E402
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.tool_parsers import ToolParserManager  # noqa: E402

logging.disable(logging.CRITICAL)

SPECIAL = ["<tool_call>", "</tool_call>", "<think>", "</think>", "<|python_tag|>", "[TOOL_CALLS]"]


class Tokenizer:
    """One that knows special tokens and nothing else. Mistral's has [ARGS] where calls begin with a name."""

    def __init__(self, names):
        self.vocab = {token: i for i, token in enumerate(SPECIAL + (["[ARGS]"] if names else []))}

    def get_vocab(self):
        return self.vocab

    def encode(self, text, **_):
        return [self.vocab[text]] if text in self.vocab else []

    def decode(self, ids, **_):
        return "".join(token for token, i in self.vocab.items() if i in ids)


def read(case, tools):
    text, parser = case["text"], case["parser"]
    named = parser == "mistral" and text.partition("[TOOL_CALLS]")[2].lstrip()[:1] not in ("[", "{")
    request = ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "?"}], tools=tools)
    said = ToolParserManager.get_tool_parser(parser)(Tokenizer(named), request.tools).extract_tool_calls(text, request)
    calls = [{"name": c.function.name, "arguments": c.function.arguments} for c in said.tool_calls]
    return {"parser": parser, "name": case["name"], "content": said.content or "", "calls": calls}


def main():
    here = Path(__file__).parent
    corpus = yaml.safe_load((here / "corpus.yaml").read_text())
    known = ("hermes", "qwen3_coder", "llama3_json", "mistral")
    cases = [read(c, corpus["tools"]) for c in corpus["cases"] if c["parser"] in known]
    with open(here / "vllm.json", "w") as out:
        json.dump({"vllm": __version__, "cases": cases}, out, indent=1, ensure_ascii=False)
        out.write("\n")
    print(len(cases), "texts read by vLLM", __version__, file=sys.stderr)


if __name__ == "__main__":
    main()
