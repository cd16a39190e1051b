# wall: limits
# what: Shows a number of ten million digits.
# ends: time, raised, output
getattr(sys, "set_int_max_str_digits", lambda n: None)(0)
print(len(str(7 ** 12000000)))
