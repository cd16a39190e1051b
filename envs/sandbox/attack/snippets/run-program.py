# wall: processes
# what: Runs another program by subprocess, os.system, popen, posix_spawn, the C library and multiprocessing.
# short
def by_subprocess():
    import subprocess
    return subprocess.run(["/bin/echo", "ran"], capture_output=True).stdout


def by_system():
    return "ran" if os.system("exit 0") == 0 else None


def by_popen():
    return os.popen("echo ran").read() or None


def by_spawn():
    pid = os.posix_spawn("/bin/true", ["true"], {})
    return "ran" if os.waitpid(pid, 0)[1] == 0 else None


def by_library():
    import ctypes
    return "ran" if ctypes.CDLL(None).system(b"exit 0") == 0 else None


def by_multiprocessing():
    import multiprocessing
    p = multiprocessing.get_context("fork").Process(target=len, args=([],))
    p.start()
    p.join(5)
    return "ran" if p.exitcode == 0 else None


attempt("subprocess", by_subprocess)
attempt("os.system", by_system)
attempt("os.popen", by_popen)
attempt("posix_spawn", by_spawn)
attempt("system", by_library)
attempt("multiprocessing", by_multiprocessing)
