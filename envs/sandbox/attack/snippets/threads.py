# wall: limits
# what: Starts 500 threads with small stacks, and keeps them, as one that wants all the machine's process numbers begins.
# short
import threading

stop, started = threading.Event(), 0
threading.stack_size(64 << 10)
try:
    while started < 500:
        threading.Thread(target=stop.wait, daemon=True).start()
        started += 1
    breach("started 500 threads")
except (RuntimeError, MemoryError) as e:
    denied("%s after %d threads" % (error(e), started))
stop.set()
