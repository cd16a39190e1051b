# wall: signals
# what: Makes a process of the host's, or its own parent, the one that is signalled when a pipe has something to read.
# short
def own(pid, number):
    import fcntl
    reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETOWN, pid)
    fcntl.fcntl(reader, 10, number)  # F_SETSIG
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_RDONLY | os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"!")
    return "the signal may have been sent"


def own_extended(pid):
    import ctypes, fcntl
    reader, writer = os.pipe()
    fcntl.fcntl(reader, 15, bytes(ctypes.c_int(1)) + bytes(ctypes.c_int(pid)))  # F_SETOWN_EX, F_OWNER_PID
    return "is the owner"


def parent():
    return os.getppid() if os.getppid() != HOST else VICTIM


attempt("process", lambda: own(VICTIM or HOST, 15 if VICTIM else 28))
attempt("process, by F_SETOWN_EX", lambda: own_extended(VICTIM or HOST))
attempt("parent", lambda: own(parent(), 9))
