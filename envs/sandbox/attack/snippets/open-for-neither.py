# wall: files
# what: Opens files and devices with the access mode 3, which asks neither to read nor to write, and empties them so.
# short
NEITHER = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
NAMELESS = getattr(os, "O_TMPFILE", 0)
# Devices whose opening changes nothing. A watchdog is none of them.
DEVICES = """/dev/ptmx /dev/kvm /dev/fuse /dev/net/tun /dev/vhost-net /dev/loop-control /dev/full /dev/tty""".split()


def opened(path, flags):
    os.close(os.open(path, flags, 0o600))
    return "opened"


def by_number(name, *args):
    os.close(syscall(name, *args))
    return "opened"


def how(flags):
    import ctypes
    return (ctypes.c_uint64 * 3)(flags, 0o600 if flags & NAMELESS == NAMELESS else 0, 0)


def text(path):
    import ctypes
    return ctypes.c_char_p(path.encode())


attempt("a file", opened, FILE, NEITHER)
attempt("empty a file", opened, FILE, NEITHER | os.O_TRUNC)
attempt("empty a file that is read", opened, FILE, os.O_RDONLY | os.O_TRUNC)
attempt("make a file", opened, os.path.join(FOLDER, "neither"), NEITHER | os.O_CREAT)
for folder in (FOLDER, "/tmp", "/dev/shm", "/"):
    for mode in (os.O_WRONLY, os.O_RDWR, NEITHER):
        attempt("a file without name in %s, mode %d" % (folder, mode), opened, folder, mode | NAMELESS)
for path in DEVICES:
    attempt(path, opened, path, NEITHER | os.O_NONBLOCK | os.O_NOCTTY)
for flags in (NEITHER, NEITHER | os.O_TRUNC):
    attempt("open, %o" % flags, lambda: by_number("open", text(FILE), flags, 0))
    attempt("openat, %o" % flags, lambda: by_number("openat", -100, text(FILE), flags, 0))
    attempt("openat with upper bits, %o" % flags, lambda: by_number("openat", -100, text(FILE), flags | 1 << 32, 0))
    attempt("openat2, %o" % flags, lambda: by_number("openat2", -100, text(FILE), how(flags), 24))
attempt("creat", lambda: by_number("creat", text(FILE), 0o600))
