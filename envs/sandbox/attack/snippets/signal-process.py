# wall: signals
# what: Ends and stops a process of the host's in every way that sends a signal.
# short
import signal

TERM, KILL, STOP = 15, 9, 19


def queued(name, *first):
    import ctypes
    info = (ctypes.c_int * 32)(TERM, 0, -1)
    return syscall(name, *first, VICTIM, TERM, info)


def by_pidfd():
    return syscall("pidfd_send_signal", syscall("pidfd_open", VICTIM, 0), TERM, None, 0)


def sent(result):
    return "sent" if result == 0 else None


if VICTIM:
    attempt("kill", lambda: os.kill(VICTIM, STOP) or "sent")
    attempt("tkill", lambda: sent(syscall("tkill", VICTIM, STOP)))
    attempt("tgkill", lambda: sent(syscall("tgkill", VICTIM, VICTIM, STOP)))
    attempt("rt_sigqueueinfo", lambda: sent(queued("rt_sigqueueinfo")))
    attempt("rt_tgsigqueueinfo", lambda: sent(queued("rt_tgsigqueueinfo", VICTIM)))
    attempt("pidfd_send_signal", lambda: sent(by_pidfd()))
    attempt("kill at last", lambda: os.kill(VICTIM, KILL) or "sent")
else:
    denied("there is no process to signal")
