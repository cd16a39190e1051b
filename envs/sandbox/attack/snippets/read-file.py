# wall: files
# what: Reads a file of the host's by open, mmap, a C library's calls and its detours, and SQLite.
# short
def read(path):
    with open(path, "rb") as f:
        return secret(f.read())


def read_number(flags):
    fd = os.open(FILE, os.O_RDONLY | flags)
    try:
        return secret(os.read(fd, 100))
    finally:
        os.close(fd)


def read_library():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fopen.restype = ctypes.c_void_p
    f = libc.fopen(FILE.encode(), b"r")
    if not f:
        raise OSError(ctypes.get_errno(), "fopen")
    buffer = ctypes.create_string_buffer(100)
    libc.fread(buffer, 1, 100, ctypes.c_void_p(f))
    return secret(buffer.raw)


def read_openat2():
    import ctypes
    how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 0)
    fd = syscall("openat2", -100, ctypes.c_char_p(FILE.encode()), how, 24)
    return secret(os.read(fd, 100))


def read_database():
    import sqlite3
    try:
        sqlite3.connect(FILE).execute("SELECT * FROM sqlite_master")
    except sqlite3.DatabaseError as e:
        return "opened" if "not a database" in str(e) else None


attempt("open", read, FILE)
attempt("os.open", read_number, 0)
attempt("by way of /proc/self/root", read, "/proc/self/root" + FILE)
attempt("by way of /proc/self/cwd", read, "/proc/self/cwd/" + "../" * 20 + FILE)
attempt("by way of the host", read, "/proc/%d/root%s" % (HOST, FILE))
attempt("fopen", read_library)
attempt("openat2", read_openat2)
attempt("SQLite", read_database)
