# wall: secrets
# what: Reads the environment, command line and memory map of the host and of its own parent, where keys are.
# short
def read(pid, name):
    with open("/proc/%s/%s" % (pid, name), "rb") as f:
        return "%d bytes" % len(f.read(1000))


def parent():
    return os.getppid()


try:
    pids = {"host": HOST, "parent": os.getppid()}
except AttributeError:
    pids = {"host": HOST}
for who, pid in sorted(pids.items()):
    for name in ("environ", "cmdline", "maps", "auxv", "status", "stack", "mountinfo"):
        attempt("%s of the %s" % (name, who), read, pid, name)
    attempt("folder of the " + who, lambda: os.readlink("/proc/%s/cwd" % pid))
    attempt("program of the " + who, lambda: os.readlink("/proc/%s/exe" % pid))
