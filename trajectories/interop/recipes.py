"""Has LLaMA-Factory's own parser read every training recipe of LLaMA-Factory.

    recipes.py RECIPE_DIR

A recipe's arguments are given what toolevo finetune adds, and parsed as the trainer parses its file, twice: as keys and
values, which refuses keys it does not know, and as words of a command line, which refuses values of a wrong type. No
model is loaded. A machine without a GPU cannot be told to use one: bf16, deepspeed, flash_attn and
liger-kernel are replaced by use_cpu. Exit 1 and a line for each recipe that is wrong.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ |= {"LLAMAFACTORY_VERBOSITY": "ERROR", "TRANSFORMERS_VERBOSITY": "error"}  # read at import

from llamafactory.data.template import TEMPLATES
from llamafactory.hparams import get_train_args
from omegaconf import OmegaConf

NEED_GPU = {"bf16": True, "flash_attn": "fa2", "enable_liger_kernel": True}
GPUS = (1, 2, 4, 8)


def parse(arguments):
    """Says what LLaMA-Factory's parser has against arguments, or nothing."""
    words = [word for key, value in arguments.items() for word in (f"--{key}", str(value))]
    for given in (arguments, words):
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                get_train_args(given)
        except SystemExit:  # of the reader of command lines, whose last line says why
            return said.getvalue().strip().splitlines()[-1]
        except Exception as e:
            return f"{type(e).__name__}: {e}"
    return None


def check(file, out):
    """Yields what is wrong with a recipe."""
    recipe = OmegaConf.to_container(OmegaConf.load(file))
    arguments = recipe["arguments"]
    full = arguments["finetuning_type"] == "full" and not arguments.get("use_cpu")

    if arguments["template"] not in TEMPLATES:
        yield f"LLaMA-Factory has no template {arguments['template']}"
    if "deepspeed" in arguments:
        json.loads((file.parent / arguments.pop("deepspeed")).read_text())

    for gpus in GPUS if full else (1,):
        together = gpus * arguments["per_device_train_batch_size"]
        if recipe["batch"] % together:
            yield f"a batch of {recipe['batch']} cannot be shared by {gpus} GPUs, which take {together} at once"

    on_cpu = dict(item for item in arguments.items() if item not in NEED_GPU.items()) | {"use_cpu": True}
    added = {
        "dataset_dir": "export", "dataset": "toolevo_sft", "output_dir": str(out),
        "gradient_accumulation_steps": recipe["batch"] // arguments["per_device_train_batch_size"],
    }
    if given := added.keys() & arguments.keys():
        yield f"{', '.join(sorted(given))} is for toolevo finetune to say"
    if complaint := parse({"model_name_or_path": "given/with-model"} | on_cpu | added):
        yield complaint


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    files = sorted(f for f in Path(sys.argv[1]).glob("*.yaml") if OmegaConf.load(f).get("trainer") != "trl")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            try:
                complaints = list(check(file, Path(folder) / file.stem))
            except Exception as e:  # a key that every recipe has is missing, or a file that it names
                complaints = [f"{type(e).__name__}: {e}"]
            wrong += len(complaints)
            for complaint in complaints:
                print(f"recipes: {file.name}: {complaint}", file=sys.stderr)
    if not files or wrong:
        print(f"recipes: {wrong} faults in {len(files)} recipes", file=sys.stderr)
        return 1
    print(f"recipes: LLaMA-Factory accepts all {len(files)}: {', '.join(f.stem for f in files)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
