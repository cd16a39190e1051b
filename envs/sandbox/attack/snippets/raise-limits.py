# wall: limits
# what: Takes its limits off.
# short
def off(name):
    import resource
    which = getattr(resource, name)
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return "was %d" % hard if hard != resource.RLIM_INFINITY else None


def off_by_call():
    import ctypes
    endless = (ctypes.c_uint64 * 2)(2 ** 64 - 1, 2 ** 64 - 1)
    return "done" if syscall("prlimit64", 0, 0, endless, None) == 0 else None


for name in ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_NOFILE", "RLIMIT_FSIZE"):
    try:
        attempt(name, off, name)
    except ValueError as e:
        denied(name + ": " + error(e))
attempt("prlimit64", off_by_call)
