# wall: kernel
# what: Takes back what was put on it: that nobody may look into it, that it ends with its parent, its filter, its limits.
# short
def control(option, *rest):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [ctypes.c_ulong(a & (1 << 64) - 1) for a in rest + (0,) * (4 - len(rest))]
    if libc.prctl(option, *arguments) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    return "done"


attempt("let others look into it", control, 4, 1)
attempt("let others trace it", control, 0x59616D61, -1)
attempt("outlive its parent", control, 1, 0)
attempt("new privileges", control, 38, 0)
attempt("no filter", control, 22, 0)
attempt("adopt orphans", control, 36, 1)
attempt("read the filter", lambda: syscall("ptrace", 0x420C, os.getpid(), 0, 0))
