# wall: files
# what: Opens the interpreter's own modules and their caches for writing, which later calls would run.
# short
import json
import sysconfig

PLACES = [json.__file__, json.__cached__, os.__file__, sys.executable]


def writable(path, flags):
    fd = os.open(path, flags)
    try:
        os.write(fd, b"")
    finally:
        os.close(fd)
    return "writable"


for path in PLACES:
    if path:
        attempt(path, writable, path, os.O_WRONLY)
for folder in [os.path.dirname(json.__file__), sysconfig.get_paths().get("purelib")] + sys.path[:4]:
    if folder and not folder.endswith(".zip"):
        attempt("a new file in " + folder, writable, folder, os.O_RDWR | os.O_TMPFILE)
