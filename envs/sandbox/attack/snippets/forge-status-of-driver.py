# wall: other calls
# what: Ends with the status of a driver that could not begin, having written to its error output.
# ends: died, raised
# short
try:
    os.write(2, b"ready\nPermissionError: out of reach\n")
except OSError:
    pass
os._exit(1)
