# wall: files
# what: Changes modes, owners, times and attributes of files, which Landlock does not watch.
# short
def mode(path, wanted):
    os.chmod(path, wanted)
    return "changed" if os.stat(path).st_mode & 0o777 == wanted else None


attempt("mode", mode, FILE, 0o600)
attempt("mode of the folder", mode, FOLDER, 0o700)
attempt("owner", lambda: os.chown(FILE, os.getuid(), os.getgid()) or "changed")
attempt("times", lambda: os.utime(FILE, (1, 1)) or "changed")
attempt("attribute", lambda: os.setxattr(FILE, "user.toolevo", b"1") or "changed")
attempt("attribute read", lambda: os.listxattr(FILE))
