# wall: limits
# what: Fills memory with bytes, and keeps what it gets.
# ends: time, raised
kept, size = [], 0
try:
    while size <= MEMORY:
        kept.append(bytearray(b"x") * (32 << 20))
        size += 32 << 20
    breach("got %d MiB, the limit is %d" % (size >> 20, MEMORY >> 20))
except MemoryError:
    del kept
    denied("MemoryError after %d MiB" % (size >> 20))
