# wall: limits
# what: Writes 100 million bytes to its error output, which nobody reads.
# ends: output
# short
data = b"x" * 1000000
try:
    for _ in range(100):
        os.write(2, data)
    denied("100 MB were written, and not kept")
except OSError as e:
    denied("error output: " + error(e))
