# wall: kernel
# what: Makes namespaces and mounts, changes the root folder.
# short
reach([
    ("unshare", (0,)), ("setns", (-1, 0)), ("mount", (-1, -1, -1, 0, -1)), ("umount2", (-1, -1)), ("pivot_root", (-1, -1)),
    ("chroot", (-1,)), ("open_tree", (-1, -1, -1)), ("move_mount", (-1, -1, -1, -1, -1)), ("fsopen", (-1, -1)),
    ("fsconfig", (-1, -1, -1, -1, -1)), ("fsmount", (-1, -1, -1)), ("fspick", (-1, -1, -1)), ("mount_setattr", (-1, -1, -1, -1, 0)),
])


def unshare(flags):
    return "left" if syscall("unshare", flags) == 0 else None


for name, flags in (("users", 0x10000000), ("mounts", 0x00020000), ("network", 0x40000000), ("processes", 0x20000000)):
    attempt("own namespace of " + name, unshare, flags)
