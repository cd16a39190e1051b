# wall: limits
# what: Computes for ever, catching everything that is raised.
# ends: time
def on(*_):
    raise ValueError


try:
    import signal
    signal.signal(signal.SIGXCPU, on)
    signal.signal(signal.SIGALRM, on)
    signal.signal(signal.SIGTERM, on)
except (ImportError, AttributeError):
    pass
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
