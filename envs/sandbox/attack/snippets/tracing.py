# wall: kernel
# what: Traces other processes and itself, and measures them.
# short
def attach():
    return "attached" if syscall("ptrace", 0x4206, VICTIM or HOST, 0, 0) == 0 else None  # PTRACE_SEIZE, which does not stop it


def attach_parent():
    return "attached" if syscall("ptrace", 0x4206, os.getppid(), 0, 0) == 0 else None


attempt("trace the host's process", attach)
attempt("trace the parent", attach_parent)
reach([
    ("ptrace", (99, 0, 0, 0)), ("process_vm_readv", (-1, 0, 0, 0, 0, 1)), ("process_vm_writev", (-1, 0, 0, 0, 0, 1)),
    ("process_madvise", (-1, 0, 0, 0, 1)), ("kcmp", (-1, -1, 0, 0, 0)), ("pidfd_open", (0, 0)), ("pidfd_getfd", (-1, 0, 0)),
    ("pidfd_send_signal", (-1, 0, 0, -1)), ("perf_event_open", (0, 0, -1, -1, -1)),
])
