"""Renders whole trajectories through every chat template that TRL ships, and says of each what becomes of them.

    verdicts.py PAGE [--update] EXPORT_DIR…

Each export is of the format sft-trajectory, laid out for TRL. Of each one trajectory is taken that met a notice, and one
that has a reply from which no action can be read, too. The verdicts, which TEMPLATES.md explains, stand in PAGE between
its two marks; with --update they are written there. Exit 1 when the page says something else than what was found.

TRL trains with a template of its own in place of a model's where it ships one (NAME_training); the prompts are those of
the model's.
"""

import difflib
import importlib.metadata
import json
import re
import sys
from pathlib import Path

import trl
from transformers.utils.chat_template_utils import _compile_jinja_template

BEGIN, END = "\ue000", "\ue001"  # around what the template says that the model wrote
MARKS = ("<!-- verdicts -->\n", "<!-- end -->\n")
EXACT, STEPS = "exact", "exact as steps"


class Template:
    def __init__(self, text):
        for word, sign in ("generation", BEGIN), ("endgeneration", END):
            text = re.sub(r"\{%(-?)\s*" + word + r"\s*(-?)%\}", r"{{\1 '" + sign + r"' \2}}", text)
        self.marks = BEGIN in text
        self.compiled = _compile_jinja_template(text)

    def render(self, messages, prompt=False, **settings):
        return self.compiled.render(messages=messages, tools=None, add_generation_prompt=prompt, bos_token="", eos_token="", **settings)


def bare(text):
    return text.replace(BEGIN, "").replace(END, "")


def faults(message, written):
    """What is not in the text of a reply that its message has, and what is there besides."""
    found = []
    if message["content"].strip() not in written:
        found.append("loses the text beside a call" if message.get("tool_calls") else "loses the text")
    for call in message.get("tool_calls") or []:
        arguments = call["function"]["arguments"]
        if call["function"]["name"] not in written:
            found.append("loses the call")
        elif json.dumps(json.dumps(arguments))[1:-1] in written:
            found.append("encodes arguments twice")
        elif any(str(v) not in written and json.dumps(v, ensure_ascii=False)[1:-1] not in written for v in arguments.values()):
            found.append("loses arguments")
    if written.count("<think>") > message["content"].count("<think>"):
        found.append("adds a think block")
    return found


def unread(messages, text):
    """What of the questions and observations is not in a text, as it is or quoted."""
    for i, m in enumerate(messages):
        said = m["content"].strip()
        if m["role"] != "assistant" and said not in text and json.dumps(said, ensure_ascii=False)[1:-1] not in text:
            yield ("loses instructions", "loses the question")[i] if i < 2 else "loses observations"


def as_whole(asked, trained, messages, replies, settings):
    """The faults of one sample of all messages, with loss where the template has its marks."""
    if not trained.marks:
        return ["has no marks of generation"]
    whole = trained.render(messages, **settings)
    segments = [m.span() for m in re.finditer(f"{BEGIN}.*?{END}", whole, re.DOTALL)]
    if len(segments) != len(replies):
        return ["loses a reply"]
    found = list(unread(messages, bare(whole)))
    for i, (start, end) in zip(replies, segments):
        # The prompt may end with the beginning of what the template takes for the reply, an empty think block.
        prompt, start, end = bare(asked.render(messages[:i], prompt=True, **settings)), bare(whole[:start]), bare(whole[:end])
        if not (prompt.startswith(start) and end.startswith(prompt)):
            found.append("rewrites earlier turns")
        found += faults(messages[i], end[max(len(prompt), len(start)):])
    return found


def as_steps(template, messages, replies, settings):
    """The faults of samples of a prompt and one reply, which alone has loss; TRL renders them by the model's template."""
    found = []
    for i in replies:
        prompt = bare(template.render(messages[:i], prompt=True, **settings))
        sample = bare(template.render(messages[: i + 1], **settings))
        if not sample.startswith(prompt):
            found.append("begins a reply otherwise than its prompt ends")
            prompt = bare(template.render(messages[:i], **settings))
        found += [*faults(messages[i], sample[len(prompt):]), *unread(messages[:i], sample)]
    return found


def verdict(asked, trained, messages):
    replies = [i for i, m in enumerate(messages) if m["role"] == "assistant"]
    kept = None
    for settings, note in ({}, ""), ({"enable_thinking": False}, ", without thinking"):
        try:
            if not as_whole(asked, trained, messages, replies, settings):
                return EXACT + note
            steps = as_steps(asked, messages, replies, settings)
        except Exception as e:  # templates raise what they like
            return "cannot: " + " ".join(str(e).split())[:80]
        if not steps:
            return STEPS + note
        kept = kept or ", ".join(dict.fromkeys(steps))
    return kept


def examples(folder):
    """Of an export the first trajectory that met a notice, and the first with a reply without an action."""
    rows = [json.loads(line)["messages"] for line in (folder / "toolevo_sft.jsonl").open(encoding="utf-8")]

    def spoiled(messages):
        return any(m["role"] == "assistant" and not m.get("tool_calls") and "Action:" not in m["content"] for m in messages)

    def noticed(messages):
        return any("deprecated" in m["content"] for m in messages if m["role"] != "assistant")

    return [next(m for m in rows if noticed(m) and spoiled(m) == wanted) for wanted in (False, True)]


def main():
    update = "--update" in sys.argv
    page, *folders = map(Path, (a for a in sys.argv[1:] if a != "--update"))
    kinds = [messages for folder in folders for messages in examples(folder)]
    shipped = Path(trl.__file__).parent / "chat_templates"
    lines, counts = [], [{} for _ in kinds]
    for file in sorted(shipped.glob("*.jinja")):
        if file.stem.endswith("_training"):
            continue
        asked = trained = Template(file.read_text(encoding="utf-8"))
        training = file.with_name(file.stem + "_training.jinja")
        if training.exists():
            trained = Template(training.read_text(encoding="utf-8"))
        found = [verdict(asked, trained, messages) for messages in kinds]
        for count, v in zip(counts, found):
            count[v] = count.get(v, 0) + 1
        lines.append(f"| `{file.stem}` | {' | '.join(found)} |\n")
    good = " | ".join(str(sum(n for v, n in count.items() if v.startswith(EXACT))) for count in counts)
    names = [f.name for f in folders]
    head = " | ".join(f"{name}{what}" for name in names for what in ("", ", a faulty reply"))
    table = "".join([f"\nTRL {importlib.metadata.version('trl')}, transformers {importlib.metadata.version('transformers')}:\n\n",
                     f"| template | {head} |\n|---|{'---|' * len(kinds)}\n", *lines,
                     f"| exact, or exact as steps, of {len(lines)} | {good} |\n\n"])
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    stands, after = rest.split(MARKS[1])
    if update:
        page.write_text(before + MARKS[0] + table + MARKS[1] + after, encoding="utf-8")
    elif stands != table:
        print(f"{page.name} says something else (verdicts.py --update writes it anew):", file=sys.stderr)
        sys.stderr.writelines(difflib.unified_diff(stands.splitlines(True), table.splitlines(True), "stands", "found"))
        return 1
    print(f"trl: {len(lines)} templates, {len(kinds)} trajectories each: as {page.name} says")
    return 0


sys.exit(main())
