# wall: other calls
# what: Reads its input for requests that are not its own, and looks for a descriptor that takes an answer to one.
# short
def rest():
    return os.read(0, 1000) or None


def takes(fd):
    import fcntl
    return "open for writing" if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE else None


def takes_by_path(path):
    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.close(fd)
    return "open for writing"


attempt("input", rest)
refused = 0
for fd in range(3, 300):
    try:
        os.fstat(fd)
    except OSError:
        refused += 1
    else:
        attempt("descriptor %d" % fd, takes, fd)
denied("%d descriptors are closed" % refused)
for path in ("/proc/%d/fd/1" % HOST, "/proc/%d/fd/0" % HOST):
    attempt("an answer by way of " + path, takes_by_path, path)
for number in range(8):
    attempt("an answer by way of the parent's %d" % number, lambda: takes_by_path("/proc/%d/fd/%d" % (os.getppid(), number)))
