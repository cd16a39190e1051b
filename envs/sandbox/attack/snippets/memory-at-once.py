# wall: limits
# what: Asks for more memory than it may have, at once.
# ends: raised
# short
try:
    x = bytearray(MEMORY)
    breach("got %d MiB, the limit is %d" % (len(x) >> 20, MEMORY >> 20))
except MemoryError:
    denied("MemoryError")
