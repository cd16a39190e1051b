# wall: files
# what: Opens the kernel's settings for writing, and those of its own that decide who dies when memory is short.
# short
def writable(path):
    fd = os.open(path, os.O_WRONLY)
    os.close(fd)
    return "writable"


for path in ("/proc/self/oom_score_adj", "/proc/self/mem", "/proc/self/coredump_filter", "/proc/self/comm", "/proc/sys/kernel/core_pattern",
             "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/sys/kernel/mm/transparent_hugepage/enabled",
             "/sys/fs/cgroup/cgroup.procs", "/sys/power/state"):
    attempt(path, writable, path)
