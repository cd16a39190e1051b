# wall: kernel
# what: Tells the kernel that memory is broken, which takes it from the machine; the address is of none.
# short
def broken(advice):
    import ctypes
    import errno
    libc = ctypes.CDLL(None, use_errno=True)
    libc.madvise(ctypes.c_void_p(4096), ctypes.c_size_t(4096), advice)
    if ctypes.get_errno() in (errno.EFAULT, errno.ENOMEM, errno.EBUSY):
        return "reached the kernel: " + errno.errorcode[ctypes.get_errno()]
    raise OSError(ctypes.get_errno(), "madvise")


attempt("MADV_HWPOISON", broken, 100)
attempt("MADV_SOFT_OFFLINE", broken, 101)
