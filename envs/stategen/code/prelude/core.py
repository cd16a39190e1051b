# Runs one program that a model wrote, and stands between it and the service. A domain's own file follows it in one text:
# it defines preload(channel, data), which returns the names that the program finds, and value(json).
#
# The program runs from its beginning with the answers that are known. When it asks for one more, the question leaves as a
# frame on descriptor 1 and the process ends; it is run again with that answer, too. Nothing here keeps a secret: what a
# program could forge are calls and a RESULT, and both are its own to choose.
import builtins
import json
import os
import sys

FILE = "<program>"


def leave(frame, write=os.write, end=os._exit, dumps=json.dumps):
    """Writes the frame and ends the process, whatever the program has made of the modules."""
    text = ("\n\x1e" + dumps(frame) + "\n").encode("ascii")
    while text:
        text = text[write(1, text):]
    while True:
        end(0)


class Channel:
    """The calls of the program, in their order."""

    def __init__(self, answers):
        self.answers = answers  # the text of a call, and what it was answered
        self.made = 0

    def ask(self, request):
        text = json.dumps(plain(request))
        if self.made == len(self.answers):
            leave({"call": text})
        known, answer = self.answers[self.made]
        if known != text:
            leave({"end": "changed", "text": "call %d was %s, and is %s" % (self.made + 1, known, text)})
        self.made += 1
        return answer

    def call(self, name, args):
        """Calls an API by its name."""
        answer = self.ask({"name": name, "args": args})
        if "raise" in answer:
            raise getattr(builtins, answer["raise"])(answer["text"])
        return value(answer["value"])

    def function(self, name, parameters):
        """The function that calls an API. An argument too many gets a name that no parameter has."""

        def call(*args, **named):
            for i, arg in enumerate(args):
                named.setdefault(parameters[i] if i < len(parameters) else "argument %d" % (i + 1), arg)
            return self.call(name, named)

        call.__name__ = call.__qualname__ = name
        return call


class Nowhere:
    """Where a program prints."""

    encoding, errors, closed = "utf-8", "strict", False

    def write(self, text):
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


def plain(thing):
    """What JSON can say of a value. An object of the service is its handle."""
    handle = getattr(type(thing), "handle", None)
    if handle is not None:
        return handle(thing)
    if isinstance(thing, dict):
        return {key: plain(member) for key, member in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [plain(item) for item in thing]
    return thing


def describe(error):
    try:
        return str(error)
    except BaseException:
        return ""


def line_of(error):
    """The line of the program where an exception passed last."""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def complain(end, error, line):
    leave({"end": end, "type": type(error).__name__, "text": describe(error), "line": line})


def run(data):
    names = {"__name__": "__main__", "__builtins__": builtins}
    names.update(preload(Channel(data["answers"]), data))
    names["exit"] = names["quit"] = lambda *status: None
    sys.stdout = sys.stderr = Nowhere()
    try:
        program = compile(data["code"], FILE, "exec", dont_inherit=True)
    except Exception as error:
        complain("syntax", error, getattr(error, "lineno", 0) or 0)
    try:
        exec(program, names)
    except BaseException as error:
        if not isinstance(error, SystemExit) or error.code not in (None, 0):
            complain("raised", error, line_of(error))
    if "RESULT" not in names:
        leave({"end": "no result"})
    result = names["RESULT"]
    try:
        result = plain(result)
        json.dumps(result)
    except Exception:
        leave({"end": "odd result", "text": type(result).__name__})
    leave({"end": "done", "result": result})
