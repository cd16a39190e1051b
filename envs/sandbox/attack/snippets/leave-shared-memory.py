# wall: other calls
# what: Leaves memory, messages and semaphores that outlive it, for a later program or another one to find.
# short
def of(make, remove):
    number = syscall(make, 0, *((4096,) if make == "shmget" else (1,) if make == "semget" else ()), 0o1600)
    syscall(remove, number, *((0,) if make == "semget" else ()), 0, 0)
    return "made"


def queue():
    import ctypes
    name = ctypes.c_char_p(MARK.encode())
    fd = syscall("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, None)
    syscall("mq_unlink", name)
    return "made"


def library():
    from multiprocessing import shared_memory
    memory = shared_memory.SharedMemory(create=True, size=100)
    memory.close()
    memory.unlink()
    return "made"


attempt("memory", of, "shmget", "shmctl")
attempt("messages", of, "msgget", "msgctl")
attempt("semaphores", of, "semget", "semctl")
attempt("a queue", queue)
attempt("memory, by the library", library)
