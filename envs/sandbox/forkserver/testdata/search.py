# Looks for SECRET wherever a process can look, and prints each place where it is found. {parent} is the number of the
# process that started the engine.
import ctypes
import gc
import glob
import os
import sys

NEEDLE = b"SEC" + b"RET"
found = []


def note(place, data):
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    at = data.find(NEEDLE)
    if at >= 0:
        found.append("%s: %r" % (place, data[at:at + 40]))


def attempt(place, function):
    try:
        note(place, function())
    except BaseException:
        pass


def read(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not os.path.isfile(path):
            return os.readlink(path)  # what it reads from a pipe would be missing elsewhere
        return os.read(fd, 1 << 20)
    finally:
        os.close(fd)


# The environment, and what the interpreter was started with.
attempt("os.environ", lambda: repr(dict(os.environ)))
attempt("sys", lambda: repr([sys.argv, getattr(sys, "orig_argv", 0), sys.flags, sys._xoptions]))
libc = ctypes.CDLL(None, use_errno=True)


def environ_of_c():
    pointer = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    values = []
    while pointer and pointer[len(values)] is not None:
        values.append(pointer[len(values)])
    return b" ".join(values)


attempt("environ of C", environ_of_c)

# Open descriptors.
for fd in range(3, 1024):
    attempt("descriptor %d" % fd, lambda: os.pread(fd, 1 << 16, 0))
    attempt("name of descriptor %d" % fd, lambda: os.readlink("/proc/self/fd/%d" % fd))

# /proc, of this process and of those above it.
for p in "self", "thread-self", str(os.getppid()), "{parent}":
    p = os.path.join("/proc", p)
    for name in ("environ", "cmdline", "stack", "auxv", "maps", "comm", "mountinfo", "root/etc/shadow", "cwd/secret"):
        attempt(p + "/" + name, lambda: read(p + "/" + name))
    for fd in range(0, 64):
        attempt("%s/fd/%d" % (p, fd), lambda: read("%s/fd/%d" % (p, fd)))
    try:
        with open(p + "/maps") as maps, open(p + "/mem", "rb", 0) as mem:
            for line in maps:
                bounds, mode = line.split()[:2]
                start, end = (int(x, 16) for x in bounds.split("-"))
                if mode.startswith("rw") and end - start < 1 << 26 and p != "/proc/self":
                    try:
                        mem.seek(start)
                        note(p + "/mem", mem.read(end - start))
                    except OSError:
                        pass
    except OSError:
        pass

# System calls, without Python's functions.
buffer = ctypes.create_string_buffer(1 << 16)
for number, name in ((2, "open"), (257, "openat")):
    path = b"/proc/{parent}/environ"
    args = (ctypes.c_char_p(path), 0) if number == 2 else (-100, ctypes.c_char_p(path), 0)
    fd = libc.syscall(number, *args)
    if fd >= 0:
        libc.read(fd, buffer, 1 << 16)
        note("system call " + name, buffer.raw)


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


for pid in {os.getppid(), int("{parent}")}:
    local, remote = Vector(ctypes.addressof(buffer), 16), Vector(0x400000, 16)  # where the text of a program of Go is
    if libc.syscall(310, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) > 0:  # process_vm_readv
        found.append("memory of %d" % pid)
    pidfd = libc.syscall(434, pid, 0)  # pidfd_open
    for fd in range(3, 32) if pidfd >= 0 else ():
        got = libc.syscall(438, pidfd, fd, 0)  # pidfd_getfd
        if got >= 0:
            attempt("descriptor %d of %d" % (fd, pid), lambda: os.pread(got, 1 << 16, 0))

# Files that a program might be given.
for path in ("/tmp", "/root", "/home", "/etc", "/run", "/var", "/dev/shm", "."):
    for place in glob.glob(path + "/*secret*"):
        attempt(place, lambda: read(place))

# What the interpreter holds.
gc.collect()
for o in gc.get_objects():
    if isinstance(o, (dict, list, tuple)) and len(o) < 1000 and o is not found:
        try:
            text = repr([x for x in (o.values() if isinstance(o, dict) else o) if isinstance(x, (str, bytes))])
        except BaseException:
            continue
        if "NEEDLE" not in text and "SECRET wherever" not in text:
            note("an object", text)

print("\n".join(found) or "nothing")
