"""Renders trajectories through every chat template that TRL ships, and says of each what becomes of them.

    verdicts.py PAGE LLAMAFACTORY_DIR [--update] FOLDER…

Each folder is an export of the format sft-trajectory, laid out for TRL; LLAMAFACTORY_DIR has of the same run, in a folder
of that name, what factory_verdicts.py reads. The verdicts, which TEMPLATES.md explains, are those of PAGE, or --update
writes them there. Exit 1 when something is wrong.

TRL trains with a template of its own in place of a model's where it ships one (NAME_training); the prompts are those of
the model's, and so are samples of a prompt and a completion.
"""

import hashlib
import importlib.metadata
import re
import sys
from pathlib import Path

import trl

sys.path.append(str(Path(__file__).parent.parent))
import rendering as shared
from rendering import BEGIN, END, Jinja, bare


def render(jinja, messages, **settings):
    return jinja.render([m.raw for m in messages], messages[0].tools, **settings)


class Shipped(shared.Template):
    """A template of TRL. Calls are parsed by the model's server, in whatever form the model writes them."""

    parsed = True

    def __init__(self, file):
        training = file.with_name(file.stem + "_training.jinja")
        self.asked = Jinja(file)
        self.trained = Jinja(training) if training.exists() else self.asked

    def prompt(self, messages, settings):
        return bare(render(self.asked, messages, prompt=True, **settings))

    def whole(self, messages, settings):
        if not self.trained.marks:
            return "", None
        text = render(self.trained, messages, **settings)
        marked = (m.span() for m in re.finditer(f"{BEGIN}.*?{END}", text, re.DOTALL))
        return bare(text), [(len(bare(text[:start])), len(bare(text[:end]))) for start, end in marked]

    def steps(self, messages, settings):
        yield bare(render(self.asked, messages, **settings)), None


def main():
    update = "--update" in sys.argv
    page, beside, *folders = map(Path, (a for a in sys.argv[1:] if a != "--update"))
    kinds, wrong = {}, []
    for folder in folders:
        same = beside / folder.name.replace("-text-", "-") / "sft-trajectory"
        kinds[folder.name] = [(messages, shared.asked(same, row))
                              for row, messages in shared.examples(folder / "toolevo_sft.jsonl")]
    files = shared.shipped(Path(trl.__file__).parent / "chat_templates")
    templates = {file.stem: Shipped(file) for file in files}
    about = shared.table(templates, kinds, wrong.append)
    about["versions"] = {p: importlib.metadata.version(p) for p in ("trl", "transformers", "datasets")}
    about["sha256"] = {file.stem: hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in files}
    for line in wrong:
        print(f"TRL: {line}", file=sys.stderr)
    status = shared.compare(page, "trl", about, update)
    print(f"TRL: {len(templates)} templates, {sum(map(len, kinds.values()))} trajectories each")
    return 1 if wrong else status


sys.exit(main())
