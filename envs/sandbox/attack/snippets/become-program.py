# wall: processes
# what: Becomes another program, by path and by the descriptor of a program that has none.
# short
SHELL, ARGUMENTS = "/bin/sh", ["sh", "-c", "echo BREACH became another program"]


def from_memory():
    import ctypes
    fd = syscall("memfd_create", ctypes.c_char_p(b"program"), 0)
    with open(SHELL, "rb") as f:
        os.write(fd, f.read())
    os.execve(fd, ARGUMENTS, {})


def by_descriptor():
    import ctypes
    fd = os.open(SHELL, os.O_RDONLY)
    syscall("execveat", fd, ctypes.c_char_p(b""), (ctypes.c_char_p * 4)(*[a.encode() for a in ARGUMENTS], None), None, 0x1000)


attempt("a program in memory", from_memory)
attempt("execveat", by_descriptor)
attempt("the interpreter", lambda: os.execv(sys.executable or "/usr/bin/python3", ["python3", "-c", "print('BREACH became Python')"]))
attempt("execv", lambda: os.execv(SHELL, ARGUMENTS))
