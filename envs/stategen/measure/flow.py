# Prints the flow of a Python program as JSON. Before this text stand two assignments: TEXT is the program, TOOLS the
# names of the documented calls. The program is parsed and never run.
import ast
import json

# What the methods of the session service do, but for get, which the route tells apart.
METHODS = {"post": "add_session", "put": "update_session", "delete": "delete_session"}


class Reader:
    def __init__(self):
        self.steps = []
        self.texts = {}  # the last text that was assigned to a variable, with {} for what is not constant
        self.temporary = 0

    def part(self, statements):
        """The steps of some statements."""
        outside, self.steps = self.steps, []
        for s in statements:
            self.statement(s)
        inside, self.steps = self.steps, outside
        return inside

    def statement(self, s):
        if isinstance(s, ast.If):
            self.uses(s.test)
            self.steps.append({"branches": [self.part(s.body), self.part(s.orelse)]})
        elif isinstance(s, (ast.For, ast.AsyncFor)):
            self.assign([s.target], s.iter)
            self.steps += self.part(s.body) + self.part(s.orelse)
        elif isinstance(s, ast.Try):
            self.steps += self.part(s.body) + self.part(s.orelse)
            self.steps.append({"branches": [[]] + [self.part(h.body) for h in s.handlers]})
            self.steps += self.part(s.finalbody)
        elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and self.tool(s.value):
            self.call(s.value, "")
        elif isinstance(s, ast.Assign):
            self.assign(s.targets, s.value)
        elif isinstance(s, (ast.AnnAssign, ast.AugAssign)):
            if s.value is not None:
                self.assign([s.target], s.value, isinstance(s, ast.AugAssign))
        else:
            for field in ast.iter_child_nodes(s):
                if isinstance(field, ast.stmt):
                    self.statement(field)
                elif isinstance(field, ast.withitem) and field.optional_vars is not None:
                    self.assign([field.optional_vars], field.context_expr)
                else:
                    self.uses(field)

    def assign(self, targets, value, keeps=False):
        name = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) and not keeps else None
        if name is not None:
            self.texts[name] = self.text(value)
            if isinstance(value, ast.Call) and self.tool(value):
                self.call(value, name)
                return
        used = self.uses(value)
        for target in targets:
            self.take(target, used, keeps)

    def take(self, target, used, keeps):
        """Assigns to a variable, to some, or to a part of one."""
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.take(element, used, keeps)
        elif isinstance(target, ast.Starred):
            self.take(target.value, used, keeps)
        else:
            while isinstance(target, (ast.Subscript, ast.Attribute)):
                target, keeps = target.value, True
            if isinstance(target, ast.Name):
                self.steps.append({"assign": target.id, "uses": used, "keeps": keeps})

    def uses(self, node):
        """The variables in an expression. Its calls become steps, the inner ones first."""
        if isinstance(node, ast.Name):
            return [node.id]
        if isinstance(node, ast.Call) and self.tool(node):
            self.temporary += 1
            return [self.call(node, "result %d" % self.temporary)]
        if isinstance(node, ast.comprehension):
            self.assign([node.target], node.iter)
            return [name for test in node.ifs for name in self.uses(test)]
        children = list(ast.iter_child_nodes(node))
        children.sort(key=lambda child: not isinstance(child, ast.comprehension))  # what they assign is used before
        return [name for child in children for name in self.uses(child)]

    def call(self, node, name):
        tool = self.tool(node)
        used = [name for child in ast.iter_child_nodes(node) for name in self.uses(child)]
        self.steps.append({"tool": tool, "assign": name, "uses": used})
        return name

    def tool(self, node):
        """The tool that is called, or None."""
        function = node.func
        name = getattr(function, "attr", getattr(function, "id", None))
        if name in TOOLS:
            return name
        if not isinstance(function, ast.Attribute) or "add_session" not in TOOLS:
            return None
        given = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "url"), None)
        if given is None or name not in ("get", *METHODS):
            return None
        path, found, rest = self.text(given).partition("sessions")
        if not found:  # the address of the sessions is a variable
            path, found, rest = self.text(given).partition("{}")
        if not found or not rest.startswith("/"):
            return None  # a dictionary's get, and the like
        route, _, query = rest.partition("?")
        segments = [part for part in route.split("/") if part]
        if name != "get":
            return METHODS[name]
        if "query" in segments or "field=" in query:
            return "query_sessions"
        return "list_sessions" if len(segments) < 3 else "get_session"

    def text(self, node):
        """A text with {} for what is not constant."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.JoinedStr):
            return "".join(self.text(value) for value in node.values)
        if isinstance(node, ast.FormattedValue):
            return self.text(node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.text(node.left) + self.text(node.right)
        if isinstance(node, ast.Name):
            return self.texts.get(node.id, "{}")
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
            return self.text(node.func.value)
        return "{}"


try:
    print(json.dumps({"flow": Reader().part(ast.parse(TEXT).body)}))
except (SyntaxError, ValueError) as e:  # what cannot be parsed is no program
    print(json.dumps({"error": str(e)}))
