# wall: files
# what: Looks for any folder that lets it write: those for temporary files, shared memory, its own, the home.
# short
FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock", "/", ".", os.path.expanduser("~"), FOLDER]


def nameless(folder):
    """A file that is gone when it is closed."""
    fd = os.open(folder, os.O_RDWR | os.O_TMPFILE, 0o600)
    os.close(fd)
    return "written"


def named(folder):
    path = os.path.join(folder, MARK)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.close(fd)
    os.unlink(path)
    return "written"


for folder in FOLDERS:
    attempt(folder, nameless, folder)
for folder in ("/dev/shm", "/dev/mqueue", "/tmp", FOLDER):
    attempt("a named file in " + folder, named, folder)
