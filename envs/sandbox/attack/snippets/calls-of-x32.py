# wall: kernel
# what: Makes a system call by the number of x32 programs, which filters that forget them let through.
# ends: died
# short
def x32():
    import ctypes
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    pid = syscall(ctypes.c_long(0x40000000 | 39))
    return pid if pid > 0 else None


if ARCH == "amd64":
    attempt("x32", x32)
else:
    denied("this processor has no such calls")
