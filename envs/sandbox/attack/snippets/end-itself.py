# wall: signals
# what: Kills itself as the machine does when memory is short, which an engine must not take for that.
# ends: died
# short
def by_timer():
    import ctypes, time
    event = (ctypes.c_int * 16)()
    event[2] = 9  # sigev_signo, sent to the process
    timer = ctypes.c_int()
    syscall("timer_create", 1, event, ctypes.byref(timer))
    syscall("timer_settime", timer.value, 0, (ctypes.c_long * 4)(0, 0, 0, 1), None)
    time.sleep(0.2)


def by_owner():
    import fcntl, time
    reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(reader, 10, 9)  # F_SETSIG
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_RDONLY | os.O_ASYNC)
    os.write(writer, b"!")
    time.sleep(0.2)


attempt("timer", by_timer)
attempt("owner of a pipe", by_owner)
attempt("kill", lambda: os.kill(os.getpid(), 9))
