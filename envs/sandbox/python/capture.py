# What is shown of a snippet: its output or the value of its last expression, and how an exception reads. Executing this
# file does nothing but define the names; driver.py follows it in one text.
import io
import posix
import sys
import _ast

RAISED = 87  # the status of a snippet that raised
AST_ONLY = 0x400  # ast.PyCF_ONLY_AST, without the cost of importing ast
FILE = "<string>"  # the snippet's file name in tracebacks


class Raw(io.FileIO):
    """Descriptor 1, which knows the last byte written to it."""

    last = b""

    def write(self, data):
        if len(data):
            self.last = bytes(data[-1:])
        return super().write(data)


class Screen:
    """What the snippet shows: its standard output, and what is added to it."""

    def __init__(self):
        self.raw = Raw(1, "wb", closefd=False)
        self.raw.name = "<stdout>"
        self.buffer = io.BufferedWriter(self.raw)
        self.text = io.TextIOWrapper(self.buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)
        self.text.mode = "w"
        self.codes = set()  # those of the snippet
        try:
            stdin = io.BufferedReader(io.FileIO(0, "rb", closefd=False))
            self.stdin = io.TextIOWrapper(stdin, encoding="utf-8", errors="replace")
        except OSError:
            self.stdin = sys.stdin  # a closed descriptor; input() then says so

    def use(self):
        sys.stdout = sys.__stdout__ = self.text
        sys.stdin = sys.__stdin__ = self.stdin

    def flush(self):
        for stream in (getattr(sys, "stdout", None), self.text, self.buffer):
            try:
                stream.flush()
            except BaseException:
                pass  # closed or replaced by the snippet

    def empty(self):
        self.flush()
        return not self.raw.last

    def show(self, text):
        """Shows text on lines of its own, past whatever the snippet did to its output."""
        self.flush()
        first = "" if self.raw.last in (b"", b"\n") else "\n"
        data = "".join((first, text, "\n")).encode("utf-8", "backslashreplace")
        self.raw.last = b"\n"
        while data:
            data = data[posix.write(1, data):]


# The default capture: output, or else the value of the last expression, or else nothing.

def parse(code, file=FILE):
    return compile(code, file, "exec", AST_ONLY, dont_inherit=True)


def statements(body):
    return compile(_ast.Module(body=body, type_ignores=[]), FILE, "exec", dont_inherit=True)


def expression(body):
    return compile(_ast.Expression(body=body), FILE, "eval", dont_inherit=True)


def call_at(node):
    """The code of text(value), which pretends to stand where node stands."""
    place = {name: getattr(node, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    name, argument = (_ast.Name(id=n, ctx=_ast.Load(), **place) for n in ("text", "value"))
    return expression(_ast.Call(func=name, args=[argument], keywords=[], **place))


def plain(code, names, screen):
    body = parse(code).body
    last = body.pop().value if body and isinstance(body[-1], _ast.Expr) else None
    first = statements(body)
    second = last and expression(last)  # before anything runs, as all errors of syntax are found
    for part in (first, second):
        if part is not None:
            codes(part, screen.codes)
    value = None
    try:
        exec(first, names)
        if second is not None:
            value = eval(second, names)
    finally:
        sys.setprofile(None)  # what we do now is not the snippet's
        sys.settrace(None)
    if value is not None and screen.empty():
        show = call_at(last)
        screen.codes.add(show)
        screen.show(eval(show, {"text": str, "value": value}))


# The published capture: see Options.PublishedCapture in Go.

def execute(body, names):
    if body:
        exec(statements(body), names)


def prints(node):
    """How many print statements the published code counts in a statement: itself, or those directly in its body, but
    neither deeper nor in an else."""
    body = node.body if isinstance(node, (_ast.If, _ast.While, _ast.For, _ast.FunctionDef)) else [node]
    calls = [child.value for child in body if isinstance(child, _ast.Expr) and isinstance(child.value, _ast.Call)]
    return sum(isinstance(call.func, _ast.Name) and call.func.id == "print" for call in calls)


def captured(action):
    """What action prints."""
    saved, sys.stdout = sys.stdout, io.StringIO()
    try:
        action()
        return sys.stdout.getvalue()
    finally:
        sys.settrace(None)
        sys.stdout = saved


def shorten(text):
    line = text[:-1] if text.endswith("\n") else text
    try:
        rounded = str(round(float(line), 4))
        if len(rounded) <= len(text):
            text = rounded + text[len(line):]
    except (ValueError, OverflowError):
        pass
    if len(text) > 500:
        text = text[:250] + "..." + text[-250:]
    return text


def source_of(node, lines):
    """The text of a statement."""
    text = [line.encode() for line in lines[node.lineno - 1:node.end_lineno]]
    text[-1] = text[-1][:node.end_col_offset]
    text[0] = text[0][node.col_offset:]
    return b"\n".join(text).decode()


def last_value(statement, names):
    """The published treatment of a program with at most one print."""
    saved, sys.stdout = sys.stdout, io.StringIO()
    try:
        if isinstance(statement, _ast.Expr):
            try:
                value = eval(expression(statement.value), names)
                return sys.stdout.getvalue() if value is None else str(value)
            except Exception:
                pass  # it runs once more
        execute([statement], names)
        return sys.stdout.getvalue()
    finally:
        sys.stdout = saved


def published_capture(code, names, screen):
    body = parse(code, "<unknown>").body
    if not body:
        return
    if sum(map(prints, body)) <= 1:
        captured(lambda: execute(body[:-1], names))
        screen.text.write(shorten(last_value(body[-1], names)))
        return

    import re
    arguments = re.compile(r"print\((.*?)\)", re.DOTALL)
    lines = re.split("\r\n?|\n", code)  # as the parser counts them
    results = []
    segment = []  # the statements since the last one that prints
    for node in body:
        if not prints(node):
            segment.append(node)
            continue
        captured(lambda: execute(segment, names))  # not shown
        text = shorten(captured(lambda: execute([node], names)))
        found = arguments.findall(source_of(node, lines))
        results.append(", ".join(found) + ": " + text if found else text)
        segment = []
    screen.text.write("".join(results))


# What is shown of an exception.

def describe(error, always_colon):
    """The exception in one line."""
    try:
        message = "".join((str(error), ""))  # a str even if the snippet made a class of it
    except BaseException:
        message = "<exception str() failed>"
    name = type(error).__name__
    return name + ": " + message if message or always_colon else name


def register(code):
    """Lets tracebacks and inspect find the snippet's lines."""
    import linecache
    lines = [line + "\n" for line in code.split("\n")]
    linecache.cache[FILE] = (len(code), None, lines, FILE)


def ours(frame):
    return frame.f_globals is globals()


def trimmed(error):
    """The traceback of an exception without the frames of this file."""
    traceback = error.__traceback__
    while traceback is not None and ours(traceback.tb_frame):
        traceback = traceback.tb_next
    return traceback


def codes(code, found):
    """Adds all code objects inside one to a set."""
    found.add(code)
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            codes(constant, found)


def correct(summary, error, tried, snippet):
    """Shortens very long lines in a traceback.TracebackException, and takes away those that belong to a string the
    snippet gave to exec or eval, of which only the file name is the snippet's."""
    if summary is None or error is None or id(error) in tried:
        return
    tried.add(id(error))
    import traceback
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for i, entry in enumerate(summary.stack):
        line = entry.line or ""
        code = frames[i].f_code if len(frames) == len(summary.stack) else None
        if entry.filename == FILE and code is not None and snippet and code not in snippet:
            line = ""
        if len(line) > 300:
            line = line[:150] + "..." + line[-150:]
        if line != (entry.line or ""):
            summary.stack[i] = traceback.FrameSummary(entry.filename, entry.lineno, entry.name, lookup_line=False, line=line)
    correct(summary.__cause__, error.__cause__, tried, snippet)
    correct(summary.__context__, error.__context__, tried, snippet)
    for inner, member in zip(getattr(summary, "exceptions", None) or (), getattr(error, "exceptions", ())):
        correct(inner, member, tried, snippet)


def suggestion(error):
    """What CPython 3.10 and 3.11 add to the message of an exception, but their traceback module does not."""
    if not (3, 10) <= sys.version_info < (3, 12) or not isinstance(error, (NameError, AttributeError)):
        return ""
    saved, sys.stderr = sys.stderr, io.StringIO()
    try:
        sys.__excepthook__(type(error), error, error.__traceback__)
        text = sys.stderr.getvalue().rstrip("\n")
    finally:
        sys.stderr = saved
    before, mark, rest = text.rpartition(". Did you mean: '")
    return mark + rest if mark and before.endswith(str(error)) and "\n" not in rest else ""


def cut(chunks):
    """Takes the middle from a traceback of very many frames."""
    at = [i for i, chunk in enumerate(chunks) if chunk.startswith(("  File ", "  ["))]
    if len(at) <= 40:
        return chunks
    first, last = at[10], at[-10]
    return chunks[:first] + ["  [%d more frames]\n" % len([i for i in at if first <= i < last])] + chunks[last:]


def report(error, code, snippet):
    """The exception as CPython shows it."""
    import traceback
    register(code)
    error.__traceback__ = trimmed(error)
    if isinstance(error, MemoryError) and isinstance(error.__context__, MemoryError):
        error.__context__ = None  # it was raised again for want of memory
    if isinstance(error, SyntaxError) and error.__traceback__ is None and not error.text and error.filename == FILE:
        lines = code.split("\n")
        if isinstance(error.lineno, int) and 0 < error.lineno <= len(lines):
            error.text = lines[error.lineno - 1]
    summary = traceback.TracebackException(type(error), error, error.__traceback__)
    correct(summary, error, set(), snippet)
    text = "".join(cut(list(summary.format()))).rstrip("\n")
    return text + suggestion(error)


def complain(error, code, published, world, screen):
    """Shows the exception that ended a snippet, and returns the status."""
    world.make_room()
    if isinstance(error, SystemExit):
        status = error.code
        if status is None or isinstance(status, int) and status == 0:
            return 0
        if not published and not isinstance(status, int):
            screen.show(str(status))
            return RAISED
    if published or isinstance(error, SystemExit):
        screen.show(describe(error, published))
        return RAISED
    if sys.excepthook is not sys.__excepthook__:
        try:
            sys.excepthook(type(error), error, trimmed(error))
            return RAISED
        except BaseException:
            pass  # CPython, too, shows the exception then
    try:
        text = report(error, code, screen.codes)
    except BaseException:  # the snippet may have changed what it needs
        world.restore()
        text = report(error, code, screen.codes)
    screen.show(text)
    return RAISED
