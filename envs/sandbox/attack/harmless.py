import random
print(6 * 7, sum(i * i for i in range(100)), "%.3f" % (2 ** 0.5), sorted({"b": 1, "a": 2}.items()))
print(random.random(), hash("toolevo"))
try:
    [][0]
except IndexError as e:
    print(e)
