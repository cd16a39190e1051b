# wall: limits
# what: Computes for ever and ignores the signals that would end it.
# ends: time
try:
    import signal
    for s in signal.valid_signals():
        try:
            signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
except (ImportError, AttributeError):
    pass
while True:
    pass
