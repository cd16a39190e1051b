# wall: files
# what: Lists folders: the host's for temporary files, homes, the system's settings.
# short
def names(path):
    return sorted(os.listdir(path))[:3] or None


def walk():
    return [x for x in os.walk(FOLDER)] or None


attempt("a folder of the host's", lambda: " ".join(os.listdir(FOLDER)))
attempt("walk through it", walk)
for path in ("/root", "/home", "/etc/ssh", "/var/log", "/run", "/sys", "/proc/%d/task" % HOST):
    attempt(path, names, path)
