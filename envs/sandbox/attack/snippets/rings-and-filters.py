# wall: kernel
# what: Uses the kernel's newer interfaces, which have had flaws: io_uring, BPF, userfaultfd, filters of its own.
# short
reach([
    ("io_uring_setup", (0, 0)), ("io_uring_enter", (-1, 0, 0, -1, 0, 0)), ("io_uring_register", (-1, -1, 0, 0)), ("bpf", (-1, 0, 0)),
    ("userfaultfd", (-1,)), ("seccomp", (99, 0, 0)), ("fanotify_init", (-1, -1)), ("inotify_init1", (-1,)),
    ("memfd_create", (-1, -1)), ("memfd_secret", (-1,)), ("landlock_create_ruleset", (0, 0, 1)),
])
