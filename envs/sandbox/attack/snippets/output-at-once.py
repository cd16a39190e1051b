# wall: limits
# what: Writes 200 million bytes to its output at once, past Python's own.
# ends: output
# short
data = memoryview(b"x" * 1000000)
for _ in range(200):
    rest = data
    while rest:
        rest = rest[os.write(1, rest):]
