# wall: files
# what: Makes, overwrites, appends to, cuts and removes files of the host's.
# short
def write(path, mode):
    with open(path, mode) as f:
        f.write("written")
        f.flush()
    return "written"


def database():
    import sqlite3
    try:
        with sqlite3.connect(os.path.join(FOLDER, "database")) as c:
            c.execute("CREATE TABLE t (x)")
    except sqlite3.OperationalError as e:
        raise OSError(str(e))
    return "written"


def temporary():
    import tempfile
    with tempfile.TemporaryFile(dir=FOLDER) as f:
        return f.write(b"written")


attempt("make a file", write, os.path.join(FOLDER, "new"), "w")
attempt("overwrite a file", write, FILE, "w")
attempt("append to a file", write, FILE, "a")
attempt("change a file", write, FILE, "r+")
attempt("cut a file", lambda: os.truncate(FILE, 0) or "cut")
attempt("a database", database)
attempt("a temporary file", temporary)
attempt("make a folder", lambda: os.mkdir(os.path.join(FOLDER, "folder")) or "made")
attempt("remove a file", lambda: os.unlink(FILE) or "removed")
attempt("remove the folder", lambda: os.rename(FOLDER, FOLDER + "-moved") or os.rename(FOLDER + "-moved", FOLDER) or "moved")
