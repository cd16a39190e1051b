# Prints what must be known of the module's Python, as JSON. The names of the modules asked for are in wanted.
import importlib
import json
import os
import site
import sys


def describe():
    path = [p for p in sys.path if p]
    sites = [p for p in site.getsitepackages() if os.path.isdir(p) and p not in path]
    found, broken = [], {}
    for name in wanted:
        sys.path[:] = path
        if name in sys.stdlib_module_names if hasattr(sys, "stdlib_module_names") else False:
            continue
        sys.path[:] = path + sites
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                broken[name] = "%s: %s" % (type(error).__name__, error)
            continue
        except BaseException as error:
            broken[name] = "%s: %s" % (type(error).__name__, error)
            continue
        found.append((name + " " + str(getattr(module, "__version__", ""))).strip())
    print(json.dumps({
        "version": list(sys.version_info[:3]),
        "implementation": sys.implementation.name,
        "path": path,
        "site": sites,
        "modules": sorted(found),
        "broken": broken,
    }))


describe()
