# What a machine adds to the driver, whose names it shares: it makes WASI look like Linux where programs look often.

ARENA = 32 << 20  # bytes a program can use before the memory grows, after which the machine is replaced
NUMBERS = {  # Linux's numbers of errors
    "EPERM": 1, "ENOENT": 2, "ESRCH": 3, "EINTR": 4, "EIO": 5, "ENXIO": 6, "E2BIG": 7, "ENOEXEC": 8, "EBADF": 9,
    "ECHILD": 10, "EAGAIN": 11, "EWOULDBLOCK": 11, "ENOMEM": 12, "EACCES": 13, "EFAULT": 14, "EBUSY": 16, "EEXIST": 17,
    "EXDEV": 18, "ENODEV": 19, "ENOTDIR": 20, "EISDIR": 21, "EINVAL": 22, "ENFILE": 23, "EMFILE": 24, "ENOTTY": 25,
    "ETXTBSY": 26, "EFBIG": 27, "ENOSPC": 28, "ESPIPE": 29, "EROFS": 30, "EMLINK": 31, "EPIPE": 32, "EDOM": 33,
    "ERANGE": 34, "EDEADLK": 35, "ENAMETOOLONG": 36, "ENOLCK": 37, "ENOSYS": 38, "ENOTEMPTY": 39, "ELOOP": 40,
    "ENOTSUP": 95, "EOPNOTSUPP": 95, "EAFNOSUPPORT": 97, "ETIMEDOUT": 110, "ECONNREFUSED": 111,
}
FORBIDDEN = ("EACCES", "ENOTSUP", "EROFS", "ENOTCAPABLE")  # what Linux's walls answer by EACCES
TOP = ("", "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "sbin", "srv", "sys",
       "tmp", "usr", "var")


if sys.version_info >= (3, 12):
    DEPTH += 1  # calls of C functions no longer count, and one is below every program


def denied(path):
    """Whether a path is that of a folder which a machine that runs Linux has, or lies directly in one."""
    try:
        parts = [p for p in posix.fspath(path).split("/") if p not in ("", ".")]
    except TypeError:
        return False
    return not parts or len(parts) == 1 and parts[0] in TOP


def parent(path):
    try:
        return "/".join(posix.fspath(path).rstrip("/").split("/")[:-1])
    except TypeError:
        return path


def linux(error, changes, names):
    """The exception that Linux raises in the place of one that WASI raised; names are those of WASI's numbers."""
    kind, name, path = type(error), names.get(error.errno), error.filename
    missing = name == "ENOENT" and isinstance(path, (str, type(None)))
    if name in FORBIDDEN or missing and (denied(path or ".") or changes and path and denied(parent(path))):
        kind, name = PermissionError, "EACCES"
    number, text = NUMBERS.get(name, error.errno), "Permission denied" if name == "EACCES" else error.strerror
    files = () if path is None else (path,) if error.filename2 is None else (path, None, error.filename2)
    if kind is not OSError:
        return kind(number, text, *files)
    other = OSError()  # with arguments it would choose a kind by WASI's numbers
    other.errno, other.strerror, other.args = number, text, (number, text)
    if path is not None:
        other.filename = path
    return other


def answering(function, changes, names):
    """The function with Linux's exceptions. changes(args, kwargs) says whether a call changes a file."""
    import functools

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except OSError as error:
            if error.errno is None:
                raise
            other = linux(error, changes(args, kwargs), names)
        raise other
    return call


def opens_to_write(args, kwargs):
    mode = kwargs.get("mode", args[1] if len(args) > 1 else "r")
    return isinstance(mode, str) and any(c in mode for c in "wax+")


def flags_to_write(args, kwargs):
    flags = kwargs.get("flags", args[1] if len(args) > 1 else 0)
    return isinstance(flags, int) and bool(flags & (posix.O_CREAT | posix.O_WRONLY & ~posix.O_RDONLY))


def adapt_files():
    import errno
    import os
    names = dict(errno.errorcode)
    io.open = builtins.open = answering(io.open, opens_to_write, names)
    os.open = answering(os.open, flags_to_write, names)
    reading = ("listdir", "scandir", "stat", "lstat", "chdir", "readlink", "access", "close", "read", "write", "fstat",
               "lseek", "dup", "dup2", "isatty", "ftruncate", "get_terminal_size", "pipe")
    changing = ("mkdir", "rmdir", "remove", "unlink", "rename", "replace", "link", "symlink", "utime", "truncate")
    for group, changes in ((reading, False), (changing, True)):
        for name in group:
            if hasattr(os, name):
                setattr(os, name, answering(getattr(os, name), lambda args, kwargs, changes=changes: changes, names))
    for name, number in NUMBERS.items():
        setattr(errno, name, number)
    errno.errorcode = {number: name for name, number in NUMBERS.items() if name not in ("EWOULDBLOCK", "EOPNOTSUPP")}


def adapt_sleep():
    """The module's clocks cannot sleep, but waiting for nothing with a time-out can."""
    import select
    import time
    native = time.sleep

    def sleep(seconds, /):
        try:
            native(seconds)
        except OSError:
            select.select((), (), (), seconds)
    time.sleep = sleep


def adapt_tracebacks(path):
    """Keeps the frames of this file, and the folder in which the module was built, out of tracebacks."""
    import json
    import traceback

    def without_ours(walk):
        def walked(*args):
            return (entry for entry in walk(*args) if not ours(entry[0]))
        return walked
    for name in ("walk_tb", "_walk_tb_with_full_positions"):
        if hasattr(traceback, name):
            setattr(traceback, name, without_ours(getattr(traceback, name)))

    built = json.loads.__code__.co_filename[:-len("json/__init__.py")]
    library = next((p for p in path if not p.endswith(".zip")), "") + "/"
    native = traceback.FrameSummary.__init__

    def init(self, filename, *args, **kwargs):
        if built and isinstance(filename, str) and filename.startswith(built):
            filename = library + filename[len(built):]
        native(self, filename, *args, **kwargs)
    traceback.FrameSummary.__init__ = init


def serve(path, site, modules):
    """Makes this interpreter ready, and reads a request."""
    prepare(path, site, modules, True)
    adapt_files()
    adapt_sleep()
    adapt_tracebacks(path)
    MADE[:] = World(), Screen()
    import gc
    space = bytearray(ARENA)
    del space
    gc.collect()
    gc.freeze()
    once()
