# Prints what must be known of an interpreter, as JSON. It runs without site-packages set up (-S), and sets them up itself.
# Arguments: the modules wanted beside the standard library.
import sys

library = [p for p in sys.path if p]  # what is there before site-packages are
finders = list(sys.meta_path)
sys.path[:] = library

import importlib
import json
import os
import site
import sysconfig


def site_folders():
    """The folders of third-party modules: site-packages by any name, without what .pth files add."""
    site.main()
    sys.meta_path[:] = finders
    known = {os.path.realpath(p) for p in library}
    known_names = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = []
    for p in sys.path:
        named = p in known_names or os.path.basename(p) in ("site-packages", "dist-packages")
        if named and os.path.isdir(p) and os.path.realpath(p) not in known and p not in found:
            found.append(p)
    return found


def version(module, name):
    """The version of a module, "" if it does not say."""
    import importlib.metadata
    said = getattr(module, "__version__", None)
    if isinstance(said, str):
        return said
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def third_party(names, folders):
    """Of the modules named, those of third parties that can be imported, and why others cannot."""
    found, broken = [], {}
    sys.path[:] = library + folders
    for name in names:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                broken[name] = "%s: %s" % (type(error).__name__, error)
            continue
        except BaseException as error:
            broken[name] = "%s: %s" % (type(error).__name__, error)
            continue
        where = os.path.realpath(getattr(module, "__file__", None) or "")
        if any(where.startswith(os.path.realpath(f) + os.sep) for f in folders):
            found.append((name + " " + version(module, name)).strip())
    return found, broken


def mapped_folders():
    """The folders of the shared objects this process has loaded, once the standard library's larger ones are."""
    for name in ("_ctypes", "_sqlite3", "_lzma", "_bz2", "_hashlib", "_ssl", "_decimal", "zlib", "_uuid", "pyexpat"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    folders = set()
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split(None, 5)[5].rstrip("\n") if line.count("/") else ""
            if ".so" in os.path.basename(path):
                folders.add(os.path.dirname(path))
    return sorted(folders)


def main():
    folders = site_folders()
    found, broken = third_party(sys.argv[1:], folders)
    print(json.dumps({
        "version": list(sys.version_info[:3]),
        "implementation": sys.implementation.name,
        "executable": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
        "prefixes": sorted({sys.base_prefix, sys.base_exec_prefix}),
        "library": library,
        "site": folders,
        "modules": found,
        "broken": broken,
        "mapped": mapped_folders(),
    }))


main()
