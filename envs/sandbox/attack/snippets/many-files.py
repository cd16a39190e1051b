# wall: limits
# what: Opens as many descriptors as it gets.
# short
kept = []
try:
    while len(kept) < 1000:
        kept.append(os.dup(1))
    breach("got 1000 descriptors")
except OSError as e:
    denied("%s after %d descriptors" % (error(e), len(kept)))
for fd in kept:
    os.close(fd)
