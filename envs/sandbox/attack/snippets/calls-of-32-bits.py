# wall: kernel
# what: Makes a system call by the number of 32-bit programs, from machine code of its own.
# ends: died
# short
def own_code(code):
    import ctypes
    import mmap
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def int80():
    # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    pid = own_code(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")
    return pid if pid > 0 else None


if ARCH == "amd64":
    attempt("int 0x80", int80)
else:
    denied("this processor has no such calls")
