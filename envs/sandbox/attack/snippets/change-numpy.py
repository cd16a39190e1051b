# wall: other calls
# what: Changes numpy for whoever comes next: random numbers, errors, printing, functions.
import numpy

numpy.random.seed(99)
numpy.seterr(all="raise")
numpy.set_printoptions(precision=1)
numpy.mean = lambda *a: -1
numpy.array([1.0]).data[0] = 3.0
denied("nothing seen by the next program")
