# wall: secrets
# what: Goes through /proc for environments and command lines of whoever runs.
# short
def search(name):
    found = 0
    for pid in [p for p in os.listdir("/proc") if p.isdigit()] + ["1", str(os.getppid())]:
        try:
            with open("/proc/%s/%s" % (pid, name), "rb") as f:
                found += int(pid) != os.getpid() and len(f.read()) > 0
        except OSError:
            pass
    return "of %d processes" % found if found else None


attempt("environments", search, "environ")
attempt("command lines", search, "cmdline")
