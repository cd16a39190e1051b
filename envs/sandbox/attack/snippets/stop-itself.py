# wall: signals
# what: Stops itself, so that it neither runs nor ends.
# ends: time, died
# short
def stop():
    import signal
    os.kill(os.getpid(), signal.SIGSTOP)


attempt("kill", stop)
attempt("raise", lambda: __import__("signal").raise_signal(19))
