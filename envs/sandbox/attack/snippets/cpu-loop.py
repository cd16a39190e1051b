# wall: limits
# what: Computes for ever.
# ends: time
while True:
    pass
