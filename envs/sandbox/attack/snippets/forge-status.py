# wall: other calls
# what: Ends with the status of a launcher that could not start, which an engine must not take for its own failure.
# ends: died
# short
os._exit(125)
