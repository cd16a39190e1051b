# wall: limits
# what: Writes a file of 100 megabytes.
# short
def write(path):
    with open(path, "wb") as f:
        for _ in range(100):
            f.write(bytes(1 << 20))
    return "100 MB"


attempt("a file", write, os.path.join(FOLDER, "big"))
