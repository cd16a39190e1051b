# wall: signals
# what: Changes priorities, processors and limits of the host, and raises its own priority.
# short
def schedule():
    import ctypes
    return "real time" if syscall("sched_setscheduler", 0, 1, ctypes.byref(ctypes.c_int(1))) == 0 else None


def io():
    return "set" if syscall("ioprio_set", 1, HOST, 4 << 13 | 4) in (0,) else None


def bound():
    import resource
    resource.prlimit(HOST, resource.RLIMIT_CORE, resource.prlimit(HOST, resource.RLIMIT_CORE))
    return "set"


attempt("priority of the host", lambda: os.setpriority(os.PRIO_PROCESS, HOST, os.getpriority(os.PRIO_PROCESS, HOST)) or "set")
attempt("processors of the host", lambda: os.sched_setaffinity(HOST, os.sched_getaffinity(HOST)) or "set")
attempt("limits of the host", bound)
attempt("disk priority of the host", io)
attempt("own priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -10) or "raised")
attempt("real time", schedule)
