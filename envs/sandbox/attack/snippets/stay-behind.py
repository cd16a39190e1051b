# wall: processes
# what: Leaves a process behind that is out of its process group and session.
# short
def rename():
    import ctypes
    ctypes.CDLL(None).prctl(15, ctypes.c_char_p(MARK.encode()), 0, 0, 0)


def daemon():
    ready, told = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            rename()
            for fd in (0, 1, 2, ready):
                os.close(fd)
            os.write(told, b"!")
            os.close(told)
            import time
            time.sleep(5)
        os._exit(0)
    os.close(told)
    return "left a process" if os.read(ready, 1) else None


attempt("fork, setsid, fork", daemon)
