"""What a trainer's chat template makes of samples: the verdicts of export/templates.yaml, and what they are found by.

Each trainer's own script gives a Template: how the trainer writes a sample, where its loss falls, and with which prompt
its server asks. All texts are compared here.
"""

import difflib
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import yaml
from transformers.utils.chat_template_utils import _compile_jinja_template

sys.path.append(str(Path(__file__).parent / "samples"))
import trees

EXACT, STEPS = "exact", "exact as steps"
# The trainer's settings that are tried, where a template knows them: the first that is exact stands.
SETTINGS = (({}, ""), ({"enable_thinking": False}, ", without thinking"))
BEGINS = "begins a reply otherwise than its prompt ends"
BOS = "\uf8f0"  # stands for the token that a text begins with
FORMS = ("chatml", "llama3", "qwen", "qwen3_nothink")
BEGIN, END = "\ue000", "\ue001"  # around what a template says that the model wrote


CALL_BEGIN, CALL_END = "<tool_call>\n", "\n</tool_call>"  # of a native call, as LLaMA-Factory wants it


class Message:
    """A message as its sample has it, and what of it a text has to hold. The first has the tools of native calls."""

    def __init__(self, raw):
        self.raw = raw
        role = raw.get("from", raw.get("role"))
        self.reply = role in ("assistant", "gpt", "function_call")
        self.source = self.text = raw.get("value", raw.get("content"))
        self.call, self.tools = None, None
        self.native = self.source.endswith(CALL_END)
        if self.native:
            self.text, _, call = self.source.removesuffix(CALL_END).partition(CALL_BEGIN)
            self.call = list(json.loads(call).values())
        elif role == "function_call":
            self.text, *self.call = trees.read(trees.CALLS, self.source)
        elif raw.get("tool_calls"):
            function = raw["tool_calls"][0]["function"]
            arguments = function["arguments"]
            self.call = [function["name"], json.loads(arguments) if isinstance(arguments, str) else arguments]
        self.text = self.text.strip()
        self.sent = self.source
        if self.call and role != "function_call":
            call = json.dumps(dict(zip(("name", "arguments"), self.call)), ensure_ascii=False)
            self.sent = f"<think>\n{self.text}\n</think>\n\n{call}"
        self.faulty = self.reply and not self.call and "Action:" not in self.text

    def faults(self, written, template):
        """What is not in the text of a reply that the message has, and what is there besides."""
        found = []
        if self.text not in written:
            found.append("loses the text beside a call" if self.call else "loses the text")
        if self.call:
            found += call_faults(*self.call, written, self.text, template.parsed or self.native)
        if written.count(template.think) > self.source.count(template.think):
            found.append("adds a think block")
        return found


def leaves(value):
    """The values in a value."""
    if not isinstance(value, (dict, list)):
        return [value]
    return [leaf for v in (value.values() if isinstance(value, dict) else value) for leaf in leaves(v)]


def call_faults(name, arguments, written, beside, parsed):
    """What is wrong with a call in a text. Unless a server parses it, our codec has to read it."""
    rest = written.replace(beside, "", 1)
    if name not in rest:
        return ["loses the call"]
    if json.dumps(json.dumps(arguments)) in rest:
        return ["encodes arguments twice"]
    if any(str(v) not in rest and json.dumps(v, ensure_ascii=False).strip('"') not in rest for v in leaves(arguments)):
        return ["loses arguments"]
    try:
        if parsed or trees.read(trees.CALLS, written)[1:] == (name, arguments):
            return []
    except trees.Unreadable:
        pass
    return ["writes the call in another form"]


class Jinja:
    """A chat template of a file."""

    def __init__(self, file):
        text = file.read_text(encoding="utf-8")
        for word, sign in ("generation", BEGIN), ("endgeneration", END):
            text = re.sub(r"\{%(-?)\s*" + word + r"\s*(-?)%\}", r"{{\1 '" + sign + r"' \2}}", text)
        self.marks = BEGIN in text
        self.compiled = _compile_jinja_template(text)

    def render(self, messages, tools, prompt=False, **settings):
        return self.compiled.render(
            messages=messages, tools=tools, add_generation_prompt=prompt, bos_token=BOS, eos_token="", **settings)


def shipped(folder):
    """The files of the chat templates that TRL ships, without those it trains with."""
    return [file for file in sorted(folder.glob("*.jinja")) if not file.stem.endswith("_training")]


def bare(text):
    return text.replace(BEGIN, "").replace(END, "")


class Template:
    """How a trainer writes samples of a model. Each think block has one mark; a server parses its calls, or nobody does."""

    think, parsed, settings = "<think>", False, SETTINGS

    def prompt(self, messages, settings):
        """What a server that has the template is asked after these messages."""
        raise NotImplementedError

    def whole(self, messages, settings):
        """A sample of all messages, and from where to where there is loss; None where the trainer cannot tell."""
        raise NotImplementedError

    def steps(self, messages, settings):
        """Samples of the last message, each with where its loss begins, None where its prompt ends."""
        raise NotImplementedError

    def verdict(self, messages):
        """What becomes of a trajectory, and with which settings."""
        return verdict(self, messages)


def unread(messages, text):
    """What of the questions and observations is not in a text, as it is or quoted."""
    def lost(said):
        return said not in text and json.dumps(said, ensure_ascii=False)[1:-1] not in text

    for i, m in enumerate(messages):
        if not m.reply and lost(m.text):
            yield ("loses instructions", "loses the question")[i] if i < 2 else "loses observations"
    if any(lost(t["function"][k]) for t in messages[0].tools or () for k in ("name", "description")):
        yield "loses tools"


def as_whole(template, messages, settings):
    """The faults of a sample of all messages."""
    text, segments = template.whole(messages, settings)
    if segments is None:
        return ["has no marks of generation"]
    replies = [i for i, m in enumerate(messages) if m.reply]
    if len(segments) != len(replies):
        return ["loses a reply"]
    found = list(unread(messages, text))
    for i, (start, end) in zip(replies, segments):
        # The prompt may end with the beginning of what the template takes for the reply, an empty think block.
        prompt = template.prompt(messages[:i], settings)
        if not (prompt.startswith(text[:start]) and text[:end].startswith(prompt)):
            found.append("rewrites earlier turns")
        found += messages[i].faults(text[max(len(prompt), start):end], template)
    return found


def as_steps(template, messages, settings):
    """The faults of samples of single actions, which train no reply that cannot be read. The longest tells them all."""
    for i, m in reversed(list(enumerate(messages))):
        if not m.reply or m.faulty:
            continue
        found = []
        prompt = template.prompt(messages[:i], settings)
        for sample, start in template.steps(messages[:i + 1], settings):
            begin = max(len(prompt), start or 0)
            if not sample.startswith(prompt) or begin > len(prompt):
                found.append(BEGINS)
                begin = len(os.path.commonprefix([prompt, sample]))
            found += [*m.faults(sample[begin:], template), *unread(messages[:i], sample)]
        if found:
            return [f for f in found if f != BEGINS] or [BEGINS]
    return []


def verdict(template, messages):
    """What becomes of a trajectory, and with which settings."""
    kept = None
    for settings, note in template.settings:
        try:
            if not as_whole(template, messages, settings):
                return EXACT + note, settings
            steps = as_steps(template, messages, settings)
        except Exception as e:  # templates raise what they like
            return "cannot: " + " ".join(re.sub(r"(message): .*", r"\1", str(e)).split())[:80], None
        if not steps:
            return STEPS + note, settings
        kept = kept or ", ".join(dict.fromkeys(steps))
    return kept, None


def asked_alike(template, messages, kind, settings, prompts):
    """Whether prompts of another make are what the template's samples begin with, before each reply."""
    replies = [i for i, m in enumerate(messages) if m.reply]
    if kind.startswith(STEPS):
        return all(sample.startswith(prompt) and (start is None or start <= len(prompt))
                   for i, prompt in zip(replies, prompts) if not messages[i].faulty
                   for sample, start in template.steps(messages[:i + 1], settings))
    text, segments = template.whole(messages, settings)
    return all(prompt.startswith(text[:start]) and text[:end].startswith(prompt)
               for prompt, (start, end) in zip(prompts, segments))


def examples(file):
    """Of the samples of trajectories the first that met a notice, and the first with a faulty reply, each with its row."""
    found = {}
    for row, line in enumerate(file.open(encoding="utf-8")):
        sample = json.loads(line)
        messages = [Message(m) for m in sample.get("messages") or sample["conversations"]]
        if "system" in sample:
            messages.insert(0, Message({"from": "system", "value": sample["system"]}))
        messages[0].tools = json.loads(sample.get("tools", "null"))
        if any("deprecated" in m.text for m in messages[2:] if not m.reply):
            found.setdefault(any(m.faulty for m in messages), (row, messages))
    return [found[False], found[True]]


def asked(folder, row):
    """The prompts before each reply of a sample that our chat templates render, by template. Those of Qwen show tools."""
    prompts = {}
    for form in FORMS[2:] if folder.parent.name.startswith("tools-") else FORMS:
        pieces = json.loads(folder.with_name(f"{folder.name}.{form}").read_text())["shown"][row]["pieces"]
        texts = [piece["text"] for piece in pieces]
        texts[0] = BOS * bool(texts[0])
        prompts[form] = ["".join(texts[:i]) for i, piece in enumerate(pieces) if piece["trained"]]
    return prompts


class Dumper(yaml.SafeDumper):
    """Writes each verdict on a line of its own: its words may need several lines."""

    def represent_mapping(self, tag, mapping, flow_style=None):
        return super().represent_mapping(tag, mapping, False if "react" in mapping else flow_style)


def compare(page, trainer, about, update):
    """Compares what was found with what the file says of a trainer, or writes it there. Returns the exit status."""
    head, rest = re.fullmatch(r"((?:#[^\n]*\n)*)(.*)", page.read_text(encoding="utf-8"), re.DOTALL).groups()
    stands = yaml.safe_load(rest) or {}

    def text(value):
        return yaml.dump(value, Dumper=Dumper, default_flow_style=None, width=100)

    if update:
        page.write_text(f"{head}\n{text(stands | {trainer: about})}", encoding="utf-8")
    elif stands.get(trainer) != about:
        print(f"{page.name} says something else (UPDATE=1 writes it anew):", file=sys.stderr)
        sys.stderr.writelines(difflib.unified_diff(
            text(stands.get(trainer)).splitlines(True), text(about).splitlines(True), "stands", "found", n=0))
        return 1
    return 0


def as_chat(messages):
    """The messages as a server is sent them under the form chat. Without tools it has neither calls nor observations."""
    for m in messages:
        if messages[0].tools:
            raw = dict(m.raw)
            if m.call:
                raw["tool_calls"] = [{**raw["tool_calls"][0], "function": dict(zip(("name", "arguments"), m.call))}]
            yield SimpleNamespace(raw=raw, text=m.text, tools=m.tools)
            continue
        role, text = ("assistant", m.sent) if m.reply else ("user", m.text)
        if m.raw.get("role") in ("tool", "observation"):
            text = f"Observation: {text}"
        yield SimpleNamespace(raw={"role": m.raw.get("role") if m is messages[0] else role, "content": text}, text=text, tools=None)


def table(templates, kinds, complain):
    """The verdicts of templates, and which of our forms ask what they train.

    kinds has of each run, named CODEC-SUITE, an example without and one with a faulty reply, each with the prompts of our
    forms. Suites may not differ, nor may openai, which has the same texts as react.
    """
    rows, forms = {}, {}
    for name, template in templates.items():
        cells = {}
        for kind, found in kinds.items():
            codec, suite = kind.rsplit("-", 1)
            for what, (messages, prompts) in zip(("", "-faulty"), found):
                said, settings = template.verdict(messages)
                cells.setdefault(codec.replace("openai", "react") + what, {}).setdefault(said, []).append(suite)
                if settings is None:
                    continue
                if template.parsed or not messages[0].tools:  # else a server's template is another
                    sent = list(as_chat(messages))
                    chat = [template.prompt(sent[:i], settings) for i, m in enumerate(messages) if m.reply]
                    prompts = prompts | {"chat": chat}
                for form, asks in prompts.items():
                    alike = asked_alike(template, messages, said, settings, asks)
                    forms.setdefault(form, {}).setdefault(codec, {}).setdefault(name, []).append(alike)
        for cell, said in cells.items():
            if len(said) > 1:
                complain(f"{name}, {cell}: suites differ: {said}")
        rows[name] = {cell: min(said) for cell, said in cells.items()}
    alike = {}
    for name, cells in rows.items():
        alike.setdefault(tuple(cells.items()), []).append(name)
    return {
        "templates": [{"names": names, "verdicts": dict(cells)} for cells, names in sorted(alike.items())],
        "forms": {form: {codec: fitting(names) for codec, names in sorted(codecs.items())}
                  for form, codecs in sorted(forms.items())},
    }


def fitting(names):
    """The templates under which all examples are asked so; "all" where that are all that are exact."""
    fit = [name for name, alike in names.items() if all(alike)]
    return "all" if len(fit) == len(names) else fit
