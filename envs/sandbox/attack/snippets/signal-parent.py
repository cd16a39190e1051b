# wall: signals
# what: Stops and ends its own parent, and answers no more: the engine's server, if that is not the host itself.
# short
import signal


def send(name):
    pid = os.getppid()
    if pid in (HOST, 0) and name not in ("SIGURG", "SIGWINCH"):
        return None
    os.kill(pid, getattr(signal, name))
    return "sent"


def by_thread(name):
    pid = os.getppid()
    if pid in (HOST, 0):
        return None
    return "sent" if syscall("tgkill", pid, pid, getattr(signal, name)) == 0 else None


for name in ("SIGURG", "SIGWINCH", "SIGTERM", "SIGSTOP", "SIGKILL"):
    attempt(name, send, name)
attempt("tgkill", by_thread, "SIGKILL")
