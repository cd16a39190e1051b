"""Has LLaMA-Factory's own code encode samples under every template that it registers, and says what becomes of them.

    factory_verdicts.py PAGE TEMPLATES TRL_DIR [--update] FOLDER…

Each folder holds exports of one run, laid out for LLaMA-Factory, each named after its format; beside each export of
trajectories is what the linter shows of it under each of our chat templates. datasets loads every file, as
LLaMA-Factory pins it: every value is that of the JSONL file, and no null is trained. The verdicts, which TEMPLATES.md
explains, are those of PAGE, or --update writes them there. Exit 1 when something is wrong.

A prompt is what LLaMA-Factory's server makes of the messages before a reply. Of native calls it is what a server with one
of the chat templates in the folder TEMPLATES, those that TRL ships, makes of the messages of the same run in TRL_DIR. Of
single actions the samples of sft-step, kto and dpo are encoded, each as its own stage does.
"""

import functools
import importlib.metadata
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

os.environ |= {"LLAMAFACTORY_VERBOSITY": "ERROR", "TRANSFORMERS_VERBOSITY": "error"}  # read at import

from llamafactory.data.loader import _load_single_dataset
from llamafactory.data.mm_plugin import BasePlugin
from llamafactory.data.parser import get_dataset_list
from llamafactory.data.processor import FeedbackDatasetProcessor, PairwiseDatasetProcessor, SupervisedDatasetProcessor
from llamafactory.data.template import TEMPLATES, ReasoningTemplate

import datasets
import rendering

ENDLESS = 1 << 40
EMPTY = {"role": "assistant", "content": ""}


class Letters:
    """A tokenizer with a token for each character, and for each token that a template names."""

    bos_token_id, eos_token_id = ord(rendering.BOS), ord(rendering.BOS) + 1
    named = {}

    def encode(self, text, add_special_tokens=False):
        return list(map(ord, text))

    def convert_tokens_to_ids(self, token):
        return self.named.setdefault(token, 0xF0000 + len(self.named))  # for private use

    def decode(self, ids):
        return "".join(map(chr, ids))


class Served(rendering.Template):
    """A template of LLaMA-Factory whose model is asked by a server with a chat template of its own."""

    def __init__(self, trained, server):
        self.think, self.trained, self.server = trained.think, trained, server

    def prompt(self, messages, settings):
        return asked(self.server, messages[0], tuple(m.sent for m in messages), tuple(settings.items()))

    def whole(self, messages, settings):
        return self.trained.kept(False, messages, settings)

    def steps(self, messages, settings):
        return self.trained.kept(True, messages, settings)


@functools.cache
def asked(server, first, messages, settings):
    """What a server is asked. Messages are texts of JSON here."""
    return rendering.bare(server.render([json.loads(m) for m in messages], first.tools, prompt=True, **dict(settings)))


# The verdicts under which samples can be trained, the best first.
FIT = [kind + note for kind in (rendering.EXACT, rendering.STEPS) for _, note in rendering.SETTINGS]


class Factory(rendering.Template):
    """A template of LLaMA-Factory. It trains calls as text, which our codec reads, or the server of native calls."""

    servers = {}  # the chat templates of servers

    def __init__(self, name):
        self.template, self.letters, self.processes = TEMPLATES[name], Letters(), None
        self.cache, self.served = {}, None
        if isinstance(self.template, ReasoningTemplate):
            self.think = self.template.thought_words[1].strip()
        else:
            self.settings = rendering.SETTINGS[:1]
        if type(self.template.mm_plugin) is not BasePlugin:
            self.processes = MagicMock(image_seq_length=0, boi_token="", full_image_sequence="")  # of pictures

    def processor(self, kind, settings, mask_history=False):
        if len(self.settings) > 1:
            self.template.enable_thinking = settings.get("enable_thinking", True)
        about = SimpleNamespace(cutoff_len=ENDLESS, mask_history=mask_history, train_on_prompt=False)
        return kind(self.template, self.letters, self.processes, about)

    def kept(self, steps, messages, settings):
        """What whole or steps returns, once for all servers."""
        key = steps, id(messages[0]), len(messages), str(settings)
        if key not in self.cache:
            self.cache[key] = list(self.steps(messages, settings)) if steps else self.whole(messages, settings)
        return self.cache[key]

    def verdict(self, messages):
        if not messages[0].tools:
            return super().verdict(messages)
        found = {}
        for name, server in self.servers.items():
            said, settings = rendering.verdict(Served(self, server), messages)
            if settings is not None:
                found.setdefault(said, (settings, set()))[1].add(name)
        if not found:
            said, settings = super().verdict(messages)
            return said if settings is None else "writes tools or calls as no template of a server known here does", None
        best = min(found, key=FIT.index)
        settings, names = found[best]
        self.served = names if self.served is None else self.served & names
        return best, settings

    def prompt(self, messages, settings):
        self.processor(SupervisedDatasetProcessor, settings)
        ids, _ = self.template.encode_oneturn(self.letters, [m.raw for m in messages[1:]] + [EMPTY],
                                           messages[0].text, listed(messages[0]))
        return self.letters.decode(ids)

    def encoded(self, ids, labels):
        """The text, and from where to where there is loss. Of some templates the token behind a reply ends it, too."""
        trained = bytes(map(int.__eq__, ids, labels))
        return self.letters.decode(ids), [m.span() for m in re.finditer(b"\x01+", trained)]

    def whole(self, messages, settings, mask_history=False):
        system, *rest = messages
        of = self.processor(SupervisedDatasetProcessor, settings, mask_history)
        said = [m.raw for m in rest]
        return self.encoded(*of._encode_data_example(said[:-1], said[-1:], system.text, listed(system), [], [], []))

    def steps(self, messages, settings):
        system, *rest = messages
        *before, reply = [m.raw for m in rest]
        pair = self.processor(PairwiseDatasetProcessor, settings)._encode_data_example(
            before, [reply, reply], system.text, listed(system), [], [], [])
        judged = self.processor(FeedbackDatasetProcessor, settings)._encode_data_example(
            before, [reply, EMPTY], [reply, EMPTY], system.text, listed(system), [], [], [])
        step = self.whole(messages, settings, mask_history=True)
        for text, segments in (step, self.encoded(*pair[:2]), self.encoded(*pair[2:]), self.encoded(*judged[:2])):
            if len(segments) != 1 or segments[0][1] != len(text):
                raise ValueError("the loss does not fall on the reply alone")
            yield text, segments[0][0]


def listed(system):
    """The tools of a sample as LLaMA-Factory is given them."""
    return json.dumps(system.tools, ensure_ascii=False) if system.tools else ""


def nulls(value):
    if isinstance(value, dict):
        return any(map(nulls, value.values()))
    return any(map(nulls, value)) if isinstance(value, list) else value is None


def load(export, complain):
    """Has LLaMA-Factory load the export. Returns the samples as it has them, and how many there are."""
    entries = json.loads((export / "dataset_info.json").read_text())
    arguments = SimpleNamespace(
        dataset_dir=str(export), preprocessing_num_workers=None, streaming=False, max_samples=None, overwrite_cache=True,
        media_dir=str(export))
    model = SimpleNamespace(cache_dir=None, hf_hub_token=None)
    aligned = {}
    for name, attributes in zip(sorted(entries), get_dataset_list(sorted(entries), str(export))):
        rows = _load_single_dataset(attributes, model, arguments, SimpleNamespace(local_process_index=0))
        aligned[name] = [row["_prompt"] + row["_response"] for row in rows]
        raw = [json.loads(line) for line in (export / f"{name.removesuffix('_jsonl')}.jsonl").open(encoding="utf-8")]
        if nulls(aligned[name]):
            complain(f"{export}: {name} is loaded with nulls")
        said = [[m.get("value", m.get("content")) for m in messages_of(sample)] for sample in raw]
        if [[m["content"] for m in row if m["content"]] for row in aligned[name]] != said:
            complain(f"{export}: {name} is loaded otherwise than its JSONL file has it")
        if [row["_tools"] for row in rows] != [sample.get("tools", "") for sample in raw]:
            complain(f"{export}: the tools of {name} are loaded otherwise than its JSONL file has them")
    return aligned


def messages_of(sample):
    """The messages of a sample, of a pair both replies, but for the system text."""
    all = sample.get("messages") or sample["conversations"] + [sample[k] for k in ("chosen", "rejected") if k in sample]
    return [m for m in all if m.get("role") != "system"]


def found_examples(file, aligned, same):
    """The examples of trajectories, with the messages as LLaMA-Factory has them, and as a server is sent them."""
    for row, messages in rendering.examples(file):
        for message, raw in zip(messages[1:], aligned[row]):
            message.raw = raw
        if messages[0].tools:
            shown = file.parent.with_name(f"{file.parent.name}.qwen")
            pieces = json.loads(shown.read_text(encoding="utf-8"))["shown"][row]["pieces"]
            messages[0].shown = "".join(piece["text"] for piece in pieces)
            sent = json.loads((same / file.name).read_text(encoding="utf-8").split("\n")[row])["messages"]
            for message, chat in zip(messages, sent, strict=True):
                message.sent = json.dumps(chat)
        yield messages, rendering.asked(file.parent, row) if file.parent.name == "sft-trajectory" else {}


def main():
    datasets.disable_progress_bars()
    update = "--update" in sys.argv
    page, servers, beside, *folders = map(Path, (a for a in sys.argv[1:] if a != "--update"))
    Factory.servers = {file.stem: rendering.Jinja(file) for file in rendering.shipped(servers)}
    wrong, kinds = [], {}
    for folder in folders:
        loaded = {export.name: load(export, wrong.append) for export in sorted(folder.iterdir())
                  if export.is_dir() and json.loads((export / "manifest.json").read_text())["rows"]}
        codec, suite = folder.name.rsplit("-", 1)
        for format, dataset, kind in (("sft-trajectory", "toolevo_sft", codec), ("openai", "toolevo_openai", "openai")):
            if format in loaded:
                examples = found_examples(folder / format / f"{dataset}.jsonl", loaded[format][dataset],
                                          beside / folder.name)
                kinds[f"{kind}-{suite}"] = list(examples)
    templates = {name: Factory(name) for name in sorted(TEMPLATES)}
    for kind, examples in kinds.items():
        for messages, _ in examples:
            if messages[0].tools and templates["qwen"].whole(messages, {})[0] != messages[0].shown:
                wrong.append(f"{kind}: under qwen tokens are counted of another text")
    about = rendering.table(templates, kinds, wrong.append)
    about["versions"] = {p: importlib.metadata.version(p) for p in ("llamafactory", "transformers", "datasets")}
    about["servers"] = {name: sorted(t.served) for name, t in templates.items() if t.served}
    for line in wrong:
        print(f"LLaMA-Factory: {line}", file=sys.stderr)
    status = rendering.compare(page, "llamafactory", about, update)
    print(f"LLaMA-Factory: {len(templates)} templates, {sum(map(len, kinds.values()))} trajectories each")
    return 1 if wrong else status


if __name__ == "__main__":
    sys.exit(main())
