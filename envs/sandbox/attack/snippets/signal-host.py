# wall: signals
# what: Asks whether it may signal the host, everyone, and its own group, with signals that do nothing.
# short
import signal


def send(pid, number):
    os.kill(pid, number)
    return "signalled"


def group():
    os.kill(0, 0)
    return "signalled" if os.getpgrp() == os.getpgid(os.getppid()) else None


for number in ("0", "SIGCONT", "SIGWINCH", "SIGURG", "SIGCHLD"):
    attempt("host, " + number, lambda: send(HOST, getattr(signal, number, 0)))
attempt("everyone", send, -1, 0)
attempt("group", group)
attempt("group of the host", lambda: os.killpg(os.getpgid(HOST), 0) or "signalled")
