# wall: limits
# what: Computes a number of 40 million digits, in one operation that cannot be interrupted.
# ends: time, raised
x = 9 ** 9 ** 8
y = x * x
print(y % 10 ** 50)
