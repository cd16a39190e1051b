"""Takes the prompts of MirrorAPI's models out of a checkout of StableToolBench.

    prompts.py CHECKOUT DIR

writes what `toolbench.prompts=DIR` and `eval judge --prompts DIR` read: mirrorapi-sft.txt and mirrorapi-cot.txt, the
system texts of both modes, mirrorapi-request.txt, the user's text with {api_doc} and {request}, and fac.txt, the text
of the judge of completeness with {query} and {answer}. The prompts stand as texts in Python files, which are parsed and
not run. They are under the licence of that repository.
"""

import ast
import os
import sys

PROMPTS = {
    "mirrorapi-sft": ("server/system_prompts.py", "SFT_SYSTEM"),
    "mirrorapi-cot": ("server/system_prompts.py", "COT_SYSTEM"),
    "mirrorapi-request": ("server/main_mirrorapi.py", "USER_PROMPT"),
    "fac": ("toolbench/tooleval/fac_eval.py", "PROMPT"),
}


def prompt(path, name):
    """Returns the text that a Python file assigns to a name, at any depth."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(getattr(t, "id", None) == name for t in node.targets):
            return ast.literal_eval(node.value)
    sys.exit(f"{path}: there is no {name}: the checkout is of another version")


checkout, out = sys.argv[1:]
os.makedirs(out, exist_ok=True)
for name, (path, variable) in PROMPTS.items():
    text = prompt(os.path.join(checkout, path), variable)
    with open(os.path.join(out, name + ".txt"), "w", encoding="utf-8", newline="") as file:
        file.write(text)
