# wall: secrets
# what: Reads the kernel's log, symbols and keys.
# short
def read(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return "%d bytes" % len(os.read(fd, 8192))
    finally:
        os.close(fd)


def log():
    import ctypes
    buffer = ctypes.create_string_buffer(1000)
    return syscall("syslog", 3, buffer, 1000) or None


attempt("syslog", log)
for path in ("/dev/kmsg", "/proc/kmsg", "/proc/kallsyms", "/proc/keys", "/proc/modules", "/proc/cmdline", "/proc/net/tcp", "/proc/mounts"):
    attempt(path, read, path)
reach([("keyctl", (-1, 0, 0, 0, 0)), ("add_key", (-1, -1, 0, 0, 0)), ("request_key", (-1, -1, 0, 0))])
