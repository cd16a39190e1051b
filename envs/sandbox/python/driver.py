# Runs one snippet and shows on descriptor 1 what a person expects to see. It follows capture.py in one text. Executing it
# does nothing: forkserver.py calls the functions below, in the order prepare, limit, Fence.put_up, run, with a fork behind
# prepare. For CPython 3.8 and later.
import builtins
import posix
import sys

DEPTH = 8  # frames below a snippet, the same whoever calls run
RESERVE = 4 << 20  # bytes kept back for the report of a MemoryError
MADE = []  # the World and the Screen of snippets to come, made before a fork: afterwards each costs many page faults

# Modules a server imports before it forks. Importing them later, in each snippet, would give the same results.
COMMON = (
    "bisect", "calendar", "collections", "copy", "ctypes", "dataclasses", "datetime", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "linecache", "math", "operator", "os", "random", "re", "resource",
    "statistics", "string", "textwrap", "threading", "time", "traceback", "typing", "_strptime",
)


# The world of a snippet.

def prepare(path, site, modules):
    """Sets the module search path to path, and imports the named modules from the folders in site, from which no other
    module can be imported later. It also imports what snippets often import."""
    sys.path[:] = list(path) + list(site)
    for name in modules:
        __import__(name)
    sys.path[:] = path
    for name in COMMON:
        __import__(name)
    import _sitebuiltins
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    builtins.help = _sitebuiltins._Helper()
    sys.argv[:] = [""]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [""]
    MADE[:] = World(), Screen()


def limit(cpu, memory):
    """Bounds this process: seconds of processor time, bytes of address space; no file may grow."""
    try:
        import resource
    except ImportError:
        return
    for what, soft, hard in (
        ("RLIMIT_CPU", cpu, cpu + 1),
        ("RLIMIT_AS", memory, memory),
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_NOFILE", 64, 64),
        ("RLIMIT_FSIZE", 0, 0),
    ):
        which = getattr(resource, what, None)
        if which is None:
            continue
        ceiling = resource.getrlimit(which)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        try:
            resource.setrlimit(which, (soft, hard))
        except (OSError, ValueError):
            pass  # a system that lacks one limit still has the others


class Fence:
    """Closes what the starter left open and puts a seccomp filter on this process, an array of struct sock_filter. The
    filter has this process's number at the offsets pids. Raises OSError where the kernel refuses. A server makes it
    before it forks."""

    def __init__(self, program, pids):
        import ctypes
        self.get_errno = ctypes.get_errno
        libc = ctypes.CDLL(None, use_errno=True)
        self.prctl, self.close_range = libc.prctl, getattr(libc, "close_range", None)
        self.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
        self.text, self.pids = bytearray(program), pids
        array = (ctypes.c_char * len(self.text)).from_buffer(self.text)

        class Program(ctypes.Structure):  # struct sock_fprog
            _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

        self.program = Program(len(self.text) // 8, ctypes.addressof(array))
        self.held = array  # for as long as the program points to it
        self.address = ctypes.addressof(self.program)

    def put_up(self):
        if self.close_range is None or self.close_range(3, -1, 0) != 0:
            posix.closerange(3, 4096)
        own = posix.getpid().to_bytes(4, sys.byteorder)
        for at in self.pids:
            self.text[at:at + 4] = own
        self.control(1, 9)  # PR_SET_PDEATHSIG, SIGKILL: a snippet does not outlive its starter
        self.control(4, 0)  # PR_SET_DUMPABLE: /proc/self belongs to root
        self.control(38, 1)  # PR_SET_NO_NEW_PRIVS
        self.control(22, 2, self.address)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER

    def control(self, what, first, second=0):
        if self.prctl(what, first, second, 0, 0) != 0:
            error = self.get_errno()
            raise OSError(error, "prctl %d: %s" % (what, posix.strerror(error)))


def seed_generators(code, seed):
    """Fixes the random numbers of a snippet that may ask for some, so that equal snippets print the same."""
    loaded = sys.modules
    if "random" in loaded or "random" in code or "statistics" in code:
        import random
        random.seed(seed)
    if "numpy.random" in loaded or "numpy" in loaded and "random" in code:
        import random
        import numpy.random
        numpy.random.seed(seed)
        entropy = getattr(numpy.random, "bit_generator", None)  # of default_rng() without a seed
        if hasattr(entropy, "randbits"):
            entropy.randbits = random.Random(seed).getrandbits


def new_main():
    """A fresh __main__."""
    old = sys.modules.get("__main__")
    module = type(sys)("__main__")
    module.__loader__ = getattr(old, "__loader__", None)
    module.__builtins__ = builtins
    if sys.version_info < (3, 14):
        module.__annotations__ = {}
    sys.modules["__main__"] = module
    return module.__dict__


class World:
    """What a report needs and the snippet may have changed."""

    def __init__(self):
        self.reserve = bytes(RESERVE)  # of a size that takes address space but no memory
        self.depth = sys.getrecursionlimit()
        self.path = list(sys.path)
        self.modules, self.loaded = sys.modules, dict(sys.modules)
        self.loaded.pop("__main__", None)
        self.builtins = dict(builtins.__dict__)

    def make_room(self):
        """Gives back the memory, the frames and the functions that a report needs."""
        self.reserve = None
        builtins.__dict__.update(self.builtins)
        sys.setrecursionlimit(self.depth)

    def restore(self):
        """Gives back the modules, which few reports need, and which takes its time after a fork."""
        sys.modules = self.modules
        for name, module in list(sys.modules.items()):
            if not isinstance(module, type(sys)):
                del sys.modules[name]
        sys.modules.update(self.loaded)
        sys.path = self.path


# How it is run.

def run(code, published, seed):
    """Runs one snippet in a fresh __main__ and to its end, as CPython does: threads are waited for, functions registered
    with atexit are called, output is flushed. Returns 0, or RAISED. Only the end of the process should follow."""
    return at_depth(run_here, code, published, seed)


def at_depth(function, *args):
    """Calls a function at the depth DEPTH, which decides how deep the snippet can recurse."""
    frame, depth = sys._getframe(), 1
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return function(*args) if depth >= DEPTH - 1 else at_depth(function, *args)


def run_here(code, published, seed):
    status = RAISED
    try:
        seed_generators(code, seed)
        names = new_main()
        world, screen = MADE
        screen.use()
        if "linecache" in sys.modules or any(word in code for word in ("traceback", "inspect", "linecache", "logging")):
            register(code)
        try:
            (published_capture if published else plain)(code, names, screen)
            status = 0
        except BaseException as error:
            try:
                status = complain(error, code, published, world, screen)
            except BaseException:  # e.g. the exception cannot be printed
                screen.show(describe(error, published))
        end(world, screen)
    except BaseException:
        pass  # raised by a signal's handler between two of our lines
    return status


def end(world, screen):
    """What CPython does at the end of a program."""
    screen.flush()
    for module, function in (("threading", "_shutdown"), ("atexit", "_run_exitfuncs")):
        try:
            getattr(world.modules.get(module), function, int)()
        except BaseException:
            pass  # goes to standard error in CPython, which nobody sees
    screen.flush()


def enter(request):
    """Takes the steps before a program that no fork server runs: what Filter in programs.go says."""
    prepare(request["path"], request["site"] or (), ())
    limit(request["cpu"], request["memory"])
    if request["filter"]:
        from binascii import a2b_base64
        Fence(a2b_base64(request["filter"]), request["pids"]).put_up()
