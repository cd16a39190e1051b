import builtins, decimal, gc, json, locale, math, os, string, sys, threading, time, warnings


def show(what, act):
    try:
        print(what, act())
    except Exception as e:
        print(what, type(e).__name__, e)


def descriptors():
    found = []
    for fd in range(64):
        try:
            found.append((fd, oct(os.fstat(fd).st_mode)))
        except OSError:
            pass
    return found


def flags():
    import fcntl
    return [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (0, 1, 2)]


def handlers():
    import signal
    return [(int(s), str(signal.getsignal(s))[:20]) for s in signal.valid_signals() if signal.getsignal(s) is not signal.SIG_DFL]


def ceilings():
    import resource
    return [resource.getrlimit(getattr(resource, n)) for n in ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE")]


def arrays():
    import numpy
    a = numpy.array([1.0, 1 / 3])
    return repr(a), numpy.mean(a), numpy.random.rand(), numpy.geterr(), numpy.get_printoptions()["precision"]


show("folder", os.getcwd)
show("environment", lambda: sorted(os.environ.items()))
show("umask", lambda: os.umask(0o22))
show("descriptors", descriptors)
show("flags", flags)
show("handlers", handlers)
show("ceilings", ceilings)
show("priority", lambda: os.getpriority(os.PRIO_PROCESS, 0))
show("processors", lambda: len(os.sched_getaffinity(0)))
show("builtins", lambda: sorted(vars(builtins)))
show("print", lambda: (print is builtins.print, len("abc"), 100 + 100, str(200), math.sqrt(16), abs(-3)))
show("modules", lambda: (json.dumps({"a": [1, 2.5, None]}), string.digits, json.__file__.count("/") > 0))
show("path", lambda: sys.path)
show("interpreter", lambda: (sys.getrecursionlimit(), sys.getswitchinterval(), gc.isenabled(), gc.get_threshold(), sys.gettrace(), sys.getprofile()))
show("integers", lambda: getattr(sys, "get_int_max_str_digits", lambda: 0)())
show("hooks", lambda: (len(sys.meta_path), len(sys.path_hooks), sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__))
show("decimals", lambda: decimal.Decimal(1) / 7)
show("locale", lambda: locale.setlocale(locale.LC_ALL))
show("zone", lambda: (time.tzname, time.timezone, time.localtime(0)[:5]))
show("numpy", arrays)
show("threads", threading.active_count)
show("warnings", lambda: len(warnings.filters))
show("marks", lambda: [n for n in list(sys.modules) + list(vars(builtins)) + list(globals()) if "toolevo" in n])
