# wall: other calls
# what: Changes what belongs to a process: folder, umask, signal handlers, environment, limits, its three descriptors.
# short
import signal

for what, change in (
    ("folder", lambda: os.chdir("/usr")),
    ("umask", lambda: os.umask(0o777)),
    ("environment", lambda: os.environ.clear()),
    ("variable", lambda: os.putenv("TOOLEVO_MARK", "1")),
    ("variable", lambda: os.environ.__setitem__("TOOLEVO_MARK", "1")),
    ("handler", lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN)),
    ("handler", lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)),
    ("limit", lambda: __import__("resource").setrlimit(4, (0, 0))),
    ("flags of input", lambda: os.set_blocking(0, False)),
    ("flags of output", lambda: os.set_blocking(1, False)),
    ("flags of errors", lambda: __import__("fcntl").fcntl(2, 4, os.O_APPEND | os.O_NONBLOCK)),
    ("input", lambda: os.close(0)),
    ("errors", lambda: os.close(2)),
):
    try:
        change()
    except (OSError, AttributeError, ImportError, ValueError) as e:
        denied(what + ": " + error(e))
denied("nothing seen by the next program")
