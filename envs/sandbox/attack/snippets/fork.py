# wall: processes
# what: Forks a few times, as a fork bomb begins.
# short
def fork(make):
    made = 0
    for _ in range(20):
        pid = make()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        made += 1
    return "%d processes" % made


def by_clone3():
    import ctypes
    arguments = (ctypes.c_uint64 * 11)()
    arguments[4] = 17  # SIGCHLD when it ends
    return syscall("clone3", arguments, 88)


def by_pty():
    import pty
    return pty.fork()[0]


attempt("os.fork", fork, lambda: os.fork())
attempt("fork", fork, lambda: syscall("fork"))
attempt("clone", fork, lambda: syscall("clone", 17, 0, 0, 0, 0))
attempt("clone in a new user namespace", fork, lambda: syscall("clone", 17 | 0x10000000, 0, 0, 0, 0))
attempt("clone3", fork, by_clone3)
attempt("pty.fork", fork, by_pty)
