# wall: secrets
# what: Looks for open descriptors beyond its own three, and reads, writes and leaves folders through what it finds.
# short
import stat

found = False
for fd in sorted(set(range(3, 1100)) | {DESCRIPTOR}):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    found = True
    kind = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}.get(stat.S_IFMT(mode), "device")
    what = "descriptor %d (%s)" % (fd, kind)
    if kind == "file":
        attempt(what, lambda: secret(os.pread(fd, 1000, 0)))
        if fd == DESCRIPTOR:  # others may belong to whoever started the host
            attempt(what + ", written", lambda: os.pwrite(fd, b"written", 0))
    elif kind == "folder":
        attempt(what, lambda: secret(os.read(os.open("../" * 20 + FILE, os.O_RDONLY, dir_fd=fd), 100)))
        if os.listdir in os.supports_fd:
            attempt(what + ", listed", lambda: [n for n in os.listdir(fd) if "toolevo-bait" in n] or None)
    else:
        breach(what)
if not found:
    denied("no descriptor is open beyond the three")
