"""Takes the prompts of MirrorAPI's models out of a checkout of StableToolBench.

    prompts.py CHECKOUT DIR

writes what `toolbench.prompts=DIR`, `eval judge --prompts DIR` and `mirror --prompts DIR` read: mirrorapi-sft.txt and
mirrorapi-cot.txt, the system texts of both modes, mirrorapi-request.txt, the user's text with {api_doc} and {request},
fac.txt, the text of the judge of completeness with {query} and {answer}, and solvable.txt, the text of
check_task_solvable with {task}. The first four stand as texts in Python files, which are parsed and not run. They are
under the licence of that repository.
"""

import os
import re
import sys

from parts import assigned

PROMPTS = {
    "mirrorapi-sft": ("server/system_prompts.py", "SFT_SYSTEM"),
    "mirrorapi-cot": ("server/system_prompts.py", "COT_SYSTEM"),
    "mirrorapi-request": ("server/main_mirrorapi.py", "USER_PROMPT"),
    "fac": ("toolbench/tooleval/fac_eval.py", "PROMPT"),
}

TEMPLATE = "toolbench/tooleval/evaluators/tooleval_gpt-3.5-turbo_default/template.txt"


def described(path, function):
    """Returns the description of a function in a template of the evaluators."""
    with open(path, encoding="utf-8") as file:
        found = re.search(rf"<name>{function}</name>\s*<description>(.*?)</description>", file.read(), re.DOTALL)
    return found[1].strip() if found else sys.exit(f"{path}: there is no {function}: the checkout is of another version")


checkout, out = sys.argv[1:]
os.makedirs(out, exist_ok=True)
texts = {name: assigned(os.path.join(checkout, path), variable) for name, (path, variable) in PROMPTS.items()}
texts["solvable"] = described(os.path.join(checkout, TEMPLATE), "check_task_solvable")
for name, text in texts.items():
    with open(os.path.join(out, name + ".txt"), "w", encoding="utf-8", newline="") as file:
        file.write(text)
