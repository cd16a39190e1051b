"""Takes the prompts of MirrorAPI's models out of a checkout of StableToolBench.

    prompts.py CHECKOUT DIR

writes what `toolbench.prompts=DIR` and `eval judge --prompts DIR` read: mirrorapi-sft.txt and mirrorapi-cot.txt, the
system texts of both modes, mirrorapi-request.txt, the user's text with {api_doc} and {request}, and fac.txt, the text
of the judge of completeness with {query} and {answer}. The prompts stand as texts in Python files, which are parsed and
not run. They are under the licence of that repository.
"""

import os
import sys

from parts import assigned

PROMPTS = {
    "mirrorapi-sft": ("server/system_prompts.py", "SFT_SYSTEM"),
    "mirrorapi-cot": ("server/system_prompts.py", "COT_SYSTEM"),
    "mirrorapi-request": ("server/main_mirrorapi.py", "USER_PROMPT"),
    "fac": ("toolbench/tooleval/fac_eval.py", "PROMPT"),
}


checkout, out = sys.argv[1:]
os.makedirs(out, exist_ok=True)
for name, (path, variable) in PROMPTS.items():
    text = assigned(os.path.join(checkout, path), variable)
    with open(os.path.join(out, name + ".txt"), "w", encoding="utf-8", newline="") as file:
        file.write(text)
