# wall: secrets
# what: Opens descriptors of the host and of its own parent by way of /proc, /dev/fd and pidfd_getfd.
# short
def read(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.close(fd)
    return "opened"


def take(pid, wanted):
    fd = syscall("pidfd_getfd", syscall("pidfd_open", pid, 0), wanted, 0)
    return secret(os.pread(fd, 100, 0)) or "taken"


attempt("of the host", lambda: secret(open("/proc/%d/fd/%d" % (HOST, DESCRIPTOR), "rb").read()))
attempt("descriptors of the host", lambda: os.listdir("/proc/%d/fd" % HOST))
attempt("/dev/fd", read, "/dev/fd/%d" % DESCRIPTOR)
attempt("taken from the host", take, HOST, DESCRIPTOR)
for number in (0, 1, 3, 4, 5):
    attempt("descriptor %d of the parent" % number, lambda: read("/proc/%d/fd/%d" % (os.getppid(), number)))
    attempt("descriptor %d taken from the parent" % number, lambda: take(os.getppid(), number))
