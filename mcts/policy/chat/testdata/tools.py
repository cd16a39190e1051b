"""Writes tools-qwen2_5.txt and tools-qwen3_instruct_2507.txt: the conversation of tools.json as the chat templates of
these models render it, which TRL has in its package.

    python tools.py    (with trl and transformers: finetune/python says how to get them)
"""

import json
import os

import trl
from transformers.utils.chat_template_utils import render_jinja_template

here = os.path.dirname(os.path.abspath(__file__))
templates = os.path.join(os.path.dirname(trl.__file__), "chat_templates")
conversation = json.load(open(os.path.join(here, "tools.json")))
for name in "qwen2_5", "qwen3_instruct_2507":
    template = open(os.path.join(templates, name + ".jinja")).read()
    rendered, _ = render_jinja_template(
        [conversation["messages"]], chat_template=template, tools=conversation["tools"], add_generation_prompt=True)
    with open(os.path.join(here, "tools-" + name + ".txt"), "w") as out:
        out.write(rendered[0])
