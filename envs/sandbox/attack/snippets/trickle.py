# wall: limits
# what: Prints a little at a time, for ever.
# ends: time, raised
import time

while True:
    os.write(1, b".")
    time.sleep(0.01)
