# wall: kernel
# what: Makes the calls of administrators, with arguments that do nothing: reboot, modules, clocks, swap, names, ports.
# short
reach([
    ("reboot", (-1, -1, 0, 0)), ("kexec_load", (0, 0, 0, -1)), ("init_module", (0, 0, 0)), ("finit_module", (-1, 0, -1)),
    ("delete_module", (-1, 0)), ("swapon", (-1, 0)), ("swapoff", (-1,)), ("settimeofday", (-1, -1)), ("clock_settime", (99, -1)),
    ("clock_adjtime", (99, -1)), ("adjtimex", (-1,)), ("sethostname", (-1, -1)), ("setdomainname", (-1, -1)), ("acct", (-1,)),
    ("quotactl", (-1, -1, -1, -1)), ("syslog", (-1, 0, 0)), ("iopl", (99,)), ("ioperm", (-1, -1, 0)), ("modify_ldt", (0, -1, 0)),
    ("personality", (0xFFFFFFFF,)), ("migrate_pages", (-1, 0, 0, 0)), ("move_pages", (-1, 0, 0, 0, 0, -1)),
])
