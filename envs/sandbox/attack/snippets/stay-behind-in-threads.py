# wall: processes
# what: Goes on in threads, exit handlers, destructors and alarms when it has come to its end.
# ends: finished, raised, time
import atexit
import signal
import threading
import time


class Last:
    def __del__(self):
        go_on()


def go_on():
    try:
        import ctypes
        ctypes.CDLL(None).prctl(15, ctypes.c_char_p(MARK.encode()), 0, 0, 0)
    except (ImportError, AttributeError, OSError):
        pass
    end = time.monotonic() + 3
    while time.monotonic() < end:
        time.sleep(0.01)


last = Last()
last.self = last
atexit.register(go_on)
for daemon in (True, False):
    try:
        threading.Thread(target=go_on, daemon=daemon).start()
    except RuntimeError as e:
        denied("thread: " + error(e))
try:
    signal.signal(signal.SIGALRM, lambda *_: go_on())
    signal.setitimer(signal.ITIMER_REAL, 0.01)
except (AttributeError, OSError) as e:
    denied("alarm: " + error(e))
print("came to its end")
