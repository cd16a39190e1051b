# wall: limits
# what: Closes its output, so that it looks as if it had ended, and sleeps for a minute.
# ends: time, raised
import time

for fd in range(64):
    try:
        os.close(fd)
    except OSError:
        pass
time.sleep(60)
