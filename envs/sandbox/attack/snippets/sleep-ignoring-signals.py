# wall: limits
# what: Ignores signals and sleeps for a minute.
# ends: time, raised
import time

try:
    import signal
    for s in signal.valid_signals():
        try:
            signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
except (ImportError, AttributeError):
    pass
time.sleep(60)
