# wall: limits
# what: Maps memory, shared and private, and writes to it.
# ends: time, raised
import mmap


def fill(flags):
    kept, size, part = [], 0, 32 << 20
    while size <= MEMORY:
        try:
            area = mmap.mmap(-1, part, flags=flags)
            for at in range(0, part, mmap.PAGESIZE):
                area[at] = 1
        except (OSError, MemoryError) as e:
            denied("%s after %d MiB" % (error(e), size >> 20))
            return None
        kept.append(area)
        size += part
    return "%d MiB" % (size >> 20)


attempt("private memory", lambda: fill(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
attempt("shared memory", lambda: fill(mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
