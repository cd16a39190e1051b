# wall: limits
# what: Prints for ever.
# ends: output
# short
while True:
    print("x" * 1000)
