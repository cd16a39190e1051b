# wall: limits
# what: Asks numpy for 80 gigabytes.
# ends: time, raised
import numpy

print(numpy.ones((100000, 100000)).sum())
