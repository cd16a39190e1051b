# wall: limits
# what: Has the kernel keep memory that is not counted as its own: files in memory, pipes, shared memory.
# short
def in_file():
    import ctypes
    fd = syscall("memfd_create", ctypes.c_char_p(b"x"), 0)
    return "%d bytes" % os.write(fd, bytes(1 << 20))


def in_pipes():
    import fcntl
    kept, size = [], 0
    try:
        for _ in range(500):
            reader, writer = os.pipe()
            kept += [reader, writer]
            os.set_blocking(writer, False)
            try:
                fcntl.fcntl(writer, 1031, 1 << 20)  # F_SETPIPE_SZ
            except OSError:
                pass
            size += os.write(writer, bytes(1 << 20))
    except OSError as e:
        denied("pipes: %s after %d MiB" % (error(e), size >> 20))
    for fd in kept:
        os.close(fd)
    return "%d MiB in pipes" % (size >> 20) if size > 64 << 20 else None


def in_shared():
    number = syscall("shmget", 0, 1 << 20, 0o1600)
    syscall("shmctl", number, 0, 0)
    return "1 MiB"


attempt("a file in memory", in_file)
attempt("pipes", in_pipes)
attempt("shared memory", in_shared)
