# wall: limits
# what: Matches a pattern that takes for ever.
# ends: time
import re

re.match(r"(a+)+$", "a" * 60 + "b")
