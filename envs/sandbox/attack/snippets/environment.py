# wall: secrets
# what: Looks for variables in its environment, as Python, the C library and the kernel know it, that no snippet needs.
# short
HARMLESS = set("""LANG TZ HOME PATH PYTHONHASHSEED PYTHONUTF8 PYTHONDONTWRITEBYTECODE PYTHONNODEBUGRANGES OPENBLAS_NUM_THREADS
OMP_NUM_THREADS MKL_NUM_THREADS MALLOC_ARENA_MAX LC_CTYPE LC_ALL PYTHONHOME PYTHONPATH PYTHONNOUSERSITE PWD""".split())


def strangers(names):
    return sorted(set(names) - HARMLESS) or None


def of_library():
    import ctypes
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    if libc.getenv(b"TOOLEVO_BAIT") or libc.getenv(b"OPENAI_API_KEY"):
        return "a secret"
    names, i = [], 0
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    while environ[i]:
        names.append(environ[i].split(b"=")[0].decode())
        i += 1
    return strangers(names)


def of_kernel(pid):
    with open("/proc/%s/environ" % pid, "rb") as f:
        return strangers(v.split(b"=")[0].decode() for v in f.read().split(b"\0") if v)


attempt("os.environ", lambda: strangers(os.environ))
attempt("environ of the C library", of_library)
attempt("/proc/self/environ", of_kernel, "self")
attempt("/proc/thread-self/environ", of_kernel, "thread-self")
