NUMBERS = {
    "amd64": {
        "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
        "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
        "mount_setattr": 442, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311,
        "process_madvise": 440, "kcmp": 312, "pidfd_open": 434, "pidfd_getfd": 438, "pidfd_send_signal": 424,
        "perf_event_open": 298, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "bpf": 321,
        "userfaultfd": 323, "seccomp": 317, "landlock_create_ruleset": 444, "fanotify_init": 300,
        "inotify_init1": 294, "memfd_create": 319, "memfd_secret": 447, "setuid": 105, "setgid": 106,
        "setreuid": 113, "setregid": 114, "setresuid": 117, "setresgid": 119, "setgroups": 116, "setfsuid": 122,
        "setfsgid": 123, "capset": 126, "keyctl": 250, "add_key": 248, "request_key": 249, "reboot": 169,
        "kexec_load": 246, "init_module": 175, "finit_module": 313, "delete_module": 176, "swapon": 167,
        "swapoff": 168, "settimeofday": 164, "clock_settime": 227, "clock_adjtime": 305, "adjtimex": 159,
        "sethostname": 170, "setdomainname": 171, "quotactl": 179, "syslog": 103, "iopl": 172, "ioperm": 173,
        "modify_ldt": 154, "personality": 135, "shmget": 29, "shmctl": 31, "msgget": 68, "msgctl": 71, "semget": 64,
        "semctl": 66, "mq_open": 240, "mq_unlink": 241, "name_to_handle_at": 303, "open_by_handle_at": 304,
        "socket": 41, "fork": 57, "clone": 56, "clone3": 435, "execveat": 322, "kill": 62, "tgkill": 234,
        "tkill": 200, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "timer_create": 222, "timer_settime": 223,
        "setpriority": 141, "ioprio_set": 251, "sched_setscheduler": 144, "sched_setattr": 314,
        "sched_setaffinity": 203, "prlimit64": 302, "setrlimit": 160, "prctl": 157, "openat2": 437,
        "migrate_pages": 256, "move_pages": 279, "vmsplice": 278, "splice": 275, "tee": 276, "setxattr": 188,
        "getpid": 39, "acct": 163, "open": 2, "openat": 257, "creat": 85,
    },
    "arm64": {
        "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "open_tree": 428,
        "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "process_madvise": 440, "kcmp": 272,
        "pidfd_open": 434, "pidfd_getfd": 438, "pidfd_send_signal": 424, "perf_event_open": 241,
        "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "bpf": 280, "userfaultfd": 282,
        "seccomp": 277, "landlock_create_ruleset": 444, "fanotify_init": 262, "inotify_init1": 26,
        "memfd_create": 279, "memfd_secret": 447, "setuid": 146, "setgid": 144, "setreuid": 145, "setregid": 143,
        "setresuid": 147, "setresgid": 149, "setgroups": 159, "setfsuid": 151, "setfsgid": 152, "capset": 91,
        "keyctl": 219, "add_key": 217, "request_key": 218, "reboot": 142, "kexec_load": 104, "init_module": 105,
        "finit_module": 273, "delete_module": 106, "swapon": 224, "swapoff": 225, "settimeofday": 170,
        "clock_settime": 112, "clock_adjtime": 266, "adjtimex": 171, "sethostname": 161, "setdomainname": 162,
        "quotactl": 60, "syslog": 116, "personality": 92, "shmget": 194, "shmctl": 195, "msgget": 186,
        "msgctl": 187, "semget": 190, "semctl": 191, "mq_open": 180, "mq_unlink": 181, "name_to_handle_at": 264,
        "open_by_handle_at": 265, "socket": 198, "clone": 220, "clone3": 435, "execveat": 281, "kill": 129,
        "tgkill": 131, "tkill": 130, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "timer_create": 107,
        "timer_settime": 110, "setpriority": 140, "ioprio_set": 30, "sched_setscheduler": 119, "sched_setattr": 274,
        "sched_setaffinity": 122, "prlimit64": 261, "setrlimit": 164, "prctl": 167, "openat2": 437,
        "migrate_pages": 238, "move_pages": 239, "vmsplice": 75, "splice": 76, "tee": 77, "setxattr": 5,
        "getpid": 172, "acct": 89, "openat": 56,
    },
}


def syscall(name, *args):
    """Makes a system call. Where this processor has none of that name, it is not implemented."""
    import ctypes
    number = NUMBERS.get(ARCH, {}).get(name)
    if number is None:
        raise NotImplementedError(name)
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    result = call(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def reach(calls):
    """Makes system calls with arguments that are wrong. A call that is not refused as such has reached the kernel's code."""
    import errno
    refused = []
    for name, args in calls:
        try:
            syscall(name, *args)
        except NotImplementedError:
            continue
        except OSError as e:
            if e.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
                refused.append(name)
                continue
            breach(name + " reached the kernel: " + error(e))
        else:
            breach(name + " was made")
    denied("%d calls, %s" % (len(refused), ", ".join(refused)))
