# Runs one program and exits: 0 when it ended, RAISED when it raised. What the program prints goes to standard output.
# Arguments: capture (plain or published), seconds of processor time, bytes of memory, bytes of a file, seconds of real
# time, then the module search path. The program is read from standard input.
import builtins
import io
import posix
import sys
import _ast
import _signal

RAISED = 87
AST_ONLY = 0x400  # ast.PyCF_ONLY_AST, without the cost of importing ast


def limit(cpu, memory, file_size, wall):
    import resource
    for what, soft, hard in (
        ("RLIMIT_CPU", cpu, cpu + 1),
        ("RLIMIT_AS", memory, memory),
        ("RLIMIT_FSIZE", file_size, file_size),
        ("RLIMIT_NOFILE", 64, 64),
        ("RLIMIT_CORE", 0, 0),
    ):
        which = getattr(resource, what, None)
        if which is None:
            continue
        ceiling = resource.getrlimit(which)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        try:
            resource.setrlimit(which, (soft, hard))
        except (OSError, ValueError):
            pass  # a system that lacks one limit still has the others
    _signal.alarm(wall + 2)  # ends a program whose starter was killed


class Out(io.TextIOWrapper):
    """Standard output that knows whether anything was printed, and how that ended."""

    last = ""

    def write(self, text):
        if text:
            self.last = text[-1]
        return super().write(text)


def parse(code):
    return compile(code, "<string>", "exec", AST_ONLY, dont_inherit=True)


def execute(statements, names):
    if statements:
        tree = _ast.Module(body=statements, type_ignores=[])
        exec(compile(tree, "<string>", "exec", dont_inherit=True), names)


def evaluate(expression, names):
    tree = _ast.Expression(body=expression)
    return eval(compile(tree, "<string>", "eval", dont_inherit=True), names)


def plain(code, names, out):
    body = parse(code).body
    last = body.pop().value if body and isinstance(body[-1], _ast.Expr) else None
    execute(body, names)
    if last is not None:
        value = evaluate(last, names)
        if value is not None and not out.last:
            print(value)


def prints(node):
    """The print statements in a statement, as the published code finds them."""
    if isinstance(node, _ast.Expr):
        call = node.value
        named = isinstance(call, _ast.Call) and isinstance(call.func, _ast.Name)
        return [node] if named and call.func.id == "print" else []
    found = []
    if isinstance(node, (_ast.If, _ast.While, _ast.For, _ast.FunctionDef)):
        for child in node.body + getattr(node, "orelse", []):
            found += prints(child)
    return found


def captured(run):
    """What run prints, and what it returns."""
    saved, sys.stdout = sys.stdout, io.StringIO()
    try:
        value = run()
        return sys.stdout.getvalue(), value
    finally:
        sys.stdout = saved


def shorten(text):
    try:
        rounded = str(round(float(text), 4))
        if len(rounded) <= len(text):
            text = rounded
    except (ValueError, OverflowError):
        pass
    if len(text) > 500:
        text = text[:250] + "..." + text[-250:]
    return text


def label(source):
    start = source.find("print(")
    if start < 0:
        return ""
    inside = source[start + len("print("):]
    end = inside.find(")")
    return inside if end < 0 else inside[:end]


def source_of(node, lines):
    """The text of a print statement, from its first character on."""
    first = lines[node.lineno - 1].encode()[node.col_offset:].decode()
    return "\n".join([first] + lines[node.lineno:node.end_lineno])


def last_value(statement, names):
    """The published treatment of a program with at most one print."""
    saved, sys.stdout = sys.stdout, io.StringIO()
    try:
        try:
            if not isinstance(statement, _ast.Expr):
                raise SyntaxError("not an expression")
            value = evaluate(statement.value, names)
            return sys.stdout.getvalue() if value is None else str(value)
        except Exception:
            execute([statement], names)
            return sys.stdout.getvalue()
    finally:
        sys.stdout = saved


def published(code, names, out):
    body = parse(code).body
    if not body:
        return
    if sum(len(prints(node)) for node in body) <= 1:
        captured(lambda: execute(body[:-1], names))
        out.write(shorten(last_value(body[-1], names)))
        return
    lines = code.split("\n")
    results = []
    segment = []
    for node in body:
        segment.append(node)
        found = prints(node)
        if found:
            text, _ = captured(lambda: execute(segment, names))
            results.append(label(source_of(found[0], lines)) + ": " + shorten(text))
            segment = []
    out.write("".join(results))


def seed(code):
    """Fixes the random numbers of a program that asks for some, so that equal programs print the same."""
    if "random" not in code:
        return
    import random
    random.seed(0)
    if "numpy" in code:
        try:
            import numpy
            numpy.random.seed(0)
        except ImportError:
            pass


def describe(error, capture):
    name, message = type(error).__name__, str(error)
    return name + ": " + message if message or capture == "published" else name


def main():
    capture, cpu, memory, file_size, wall = sys.argv[1:6]
    sys.path[1:] = sys.argv[6:]
    sys.argv[:] = [""]
    code = sys.stdin.buffer.read().decode("utf-8", "replace")
    out = Out(sys.stdout.detach(), encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.stdout = sys.__stdout__ = out
    builtins.exit = builtins.quit = sys.exit
    module = type(sys)("__main__")
    sys.modules["__main__"] = module
    posix.closerange(3, 1024)  # what our starter inherited is none of the program's business
    seed(code)
    limit(int(cpu), int(memory), int(file_size), int(wall))
    posix.write(2, b"ready\n")
    status = 0
    try:
        (published if capture == "published" else plain)(code, module.__dict__, out)
    except SystemExit as error:
        if error.code is not None and error.code != 0:
            status = RAISED
            if capture == "published" or isinstance(error.code, int):
                message = describe(error, capture)
            else:
                message = str(error.code)
            finish(out, message)
    except BaseException as error:
        status = RAISED
        finish(out, describe(error, capture))
    sys.stdout = out
    out.flush()
    sys.exit(status)


def finish(out, message):
    """Prints the last line of a program that raised."""
    if out.last not in ("", "\n"):
        out.write("\n")
    out.write(message)


main()
