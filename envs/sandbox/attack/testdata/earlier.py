# Looks for texts of earlier programs in all that a program can reach: objects, frames, caches and the environment; page
# by page, what lies around anything that was allocated, freed memory included; files and descriptors. Shows where.
import gc, linecache, os, re, sys

MARK = re.compile(rb"earlier-[0-9a-f]{32}")
found = set()


def note(place, data):
    if MARK.search(data):
        found.add(place)


def memory():
    """Reads by way of a pipe: where there is no page, the kernel says so, and this process goes on."""
    import ctypes
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    size, (out, into) = 4096, os.pipe()
    seen = set()

    def walk(address, step):
        gap, tail = 0, b""
        while gap < 64 and address not in seen:
            if libc.write(into, ctypes.c_void_p(address), size) == size:
                data = os.read(out, size)
                note("memory", tail[-64:] + data if step > 0 else data + tail[:64])
                seen.add(address)
                gap, tail = 0, data
            else:
                gap, tail = gap + 1, b""
            address += step * size

    starts = [id(o) for o in gc.get_objects()[::500]] + [id(sys)] + [libc.malloc(1 << n) for n in range(4, 22)]
    for start in starts:
        walk(start & -size, 1)
        walk((start & -size) - size, -1)
    for kib in range(1, 256):
        note("allocated", ctypes.string_at(libc.malloc(kib << 10), kib << 10))
    return len(seen)


def objects():
    for o in gc.get_objects():
        if isinstance(o, (dict, list, tuple, set)) and len(o) < 1000:
            note("objects", repr(o).encode("utf-8", "replace"))
    frame = sys._getframe()
    while frame:
        note("frames", repr(list(frame.f_locals.values())).encode("utf-8", "replace"))
        frame = frame.f_back
    note("lines", repr(linecache.cache).encode("utf-8", "replace"))
    note("environment", repr(os.environ).encode("utf-8", "replace"))
    note("modules", repr([vars(m) for m in list(sys.modules.values())]).encode("utf-8", "replace"))


def files():
    parent = getattr(os, "getppid", os.getpid)()  # WASI has no processes
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", ".", "/proc/self", "/proc/%d" % parent):
        try:
            for name in os.listdir(folder):
                note("files", name.encode("utf-8", "replace"))
                with open(os.path.join(folder, name), "rb") as f:
                    note("files", f.read(1 << 20))
        except OSError:
            pass
    for fd in range(64):
        try:
            note("descriptors", os.pread(fd, 1 << 16, 0))
        except (OSError, AttributeError):
            pass


objects()
files()
try:
    pages = memory()
except ImportError:
    pages = 0  # a Python without foreign functions
print(sorted(found), pages > 1000 or sys.platform == "wasi")
