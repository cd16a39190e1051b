# wall: other calls
# what: Changes Python for whoever comes next: built-in functions, modules, import hooks, traces, limits.
# short
import builtins
import gc
import json
import math
import sys
import warnings


class Hook:
    toolevo = True

    def find_spec(self, *_):
        return None


builtins.toolevo_mark = 1
builtins.print, shown = (lambda *a, **k: None), builtins.print
builtins.len = lambda x: 42
builtins.IndexError = KeyError
json.dumps = lambda *a, **k: "changed"
math.sqrt = lambda x: -1
sys.modules["toolevo_module"] = sys
sys.modules["random"] = sys.modules["math"]
sys.meta_path.insert(0, Hook())
sys.path.insert(0, "/tmp")
sys.setrecursionlimit(77777)
sys.setswitchinterval(1)
sys.excepthook = sys.displayhook = lambda *a: None
sys.settrace(None)
getattr(sys, "set_int_max_str_digits", lambda n: None)(0)
warnings.filters.clear()
gc.disable()
gc.set_threshold(1)
shown("denied nothing seen by the next program")
