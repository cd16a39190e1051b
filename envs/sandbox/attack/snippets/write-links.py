# wall: files
# what: Makes links, pipes and devices, and renames and exchanges files.
# short
def new(name):
    return os.path.join(FOLDER, name)


attempt("a symbolic link", lambda: os.symlink(FILE, new("link")) or "made")
attempt("a hard link", lambda: os.link(FILE, new("hard")) or "made")
attempt("a hard link to a shared module", lambda: os.link(os.__file__, new("module")) or "made")
attempt("rename", lambda: os.rename(FILE, new("renamed")) or "renamed")
attempt("a named pipe", lambda: os.mkfifo(new("pipe")) or "made")
attempt("a device", lambda: os.mknod(new("device"), 0o20666, os.makedev(1, 3)) or "made")
