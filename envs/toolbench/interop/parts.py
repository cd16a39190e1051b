"""Takes functions and texts out of Python files, which are parsed and not run: their modules may need a GPU."""

import ast
import re


def functions(path, *names):
    """Returns functions of a file by their names. They may use one another and the module re."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    found = {"re": re}
    exec(compile(tree, path, "exec"), found)
    return {name: found[name] for name in names}


def assigned(path, name):
    """Returns the text that a file assigns to a name, at any depth."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(getattr(t, "id", None) == name for t in node.targets):
            return ast.literal_eval(node.value)
    raise SystemExit(f"{path}: there is no {name}: the checkout is of another version")
