# wall: limits
# what: Recurses until the stack of the machine is full, with Python's own limit off.
# ends: time, raised, died
sys.setrecursionlimit(10 ** 9)


class Deep:
    def __repr__(self):
        return repr([self])


repr(Deep())
