# wall: limits
# what: Makes the interpreter read memory that is not there.
# ends: died
# short
import ctypes

ctypes.string_at(8)
