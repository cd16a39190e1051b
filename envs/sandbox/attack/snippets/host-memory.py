# wall: secrets
# what: Reads and writes the memory of the host and of its own parent.
# short
def vector(address, size):
    import ctypes
    return (ctypes.c_size_t * 2)(address, size)


def by_call(pid, address):
    import ctypes
    buffer = ctypes.create_string_buffer(100)
    read = syscall("process_vm_readv", pid, vector(ctypes.addressof(buffer), 100), 1, vector(address, 100), 1, 0)
    return secret(buffer.raw) or "%d bytes" % read


def write_by_call():
    import ctypes
    text = ctypes.create_string_buffer(b"written")
    return syscall("process_vm_writev", HOST, vector(ctypes.addressof(text), 7), 1, vector(ADDRESS, 7), 1, 0)


def by_file(pid, address, flags):
    fd = os.open("/proc/%d/mem" % pid, flags)
    try:
        return secret(os.pread(fd, 100, address)) if address else "opened"
    finally:
        os.close(fd)


def of_parent():
    import ctypes
    return by_call(os.getppid(), id(os))  # a fork has everything where its parent has it


attempt("of the host, by call", by_call, HOST, ADDRESS)
attempt("of the host, by file", by_file, HOST, ADDRESS, os.O_RDONLY)
attempt("of the host, for writing", by_file, HOST, 0, os.O_RDWR)
attempt("of the host, written", write_by_call)
attempt("of the parent, by call", of_parent)
attempt("of the parent, by file", lambda: by_file(os.getppid(), 0, os.O_RDWR))
