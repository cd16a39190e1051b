# An engine that runs all programs in one process.
import io, json, sys, traceback

channel, sys.stdin = sys.stdin, io.StringIO()
answers = sys.stdout
dumps, string_io, text = json.dumps, io.StringIO, traceback.format_exc
for line in channel:
    code = json.loads(line)
    sys.stdout, end = string_io(), 0
    try:
        exec(code, {"__name__": "__main__"})
    except BaseException:
        sys.stdout.write(text())
        end = 1
    answers.write(dumps({"Output": sys.stdout.getvalue(), "End": end}) + "\n")
    answers.flush()
