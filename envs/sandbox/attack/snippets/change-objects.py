# wall: other calls
# what: Overwrites the interpreter's own constants in memory: the number 200, the text of a name.
# short
# ends: died, raised, finished
import ctypes

size = sys.getsizeof(200)
ctypes.memmove(id(200) + size - 4, id(201) + size - 4, 4)
import string

ctypes.memset(id(string.digits) + sys.getsizeof(string.digits) - 11, 57, 1)
print("denied nothing seen by the next program")
