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


def described(module, name):
    """The name of a module and its version, if it says."""
    import importlib.metadata
    said = getattr(module, "__version__", None)
    if not isinstance(said, str):
        try:
            said = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            said = ""
    return (name + " " + said).strip()


def third_party(names, folders):
    """Of the modules named, those of third parties that can be imported, each with what it imports of others, and why
    others cannot."""
    found, broken = [], {}
    sys.path[:] = library + folders
    for name in names:
        before = loaded(folders)
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                broken[name] = "%s: %s" % (type(error).__name__, error)
            continue
        except BaseException as error:
            broken[name] = "%s: %s" % (type(error).__name__, error)
            continue
        if not places(module, folders):
            continue
        said = described(module, name)
        needs = [described(m, n) for n, m in sorted(loaded(folders).items()) if n not in before and n not in names]
        if needs:
            said += " (" + " ".join(needs) + ")"
        found.append(said)
    return found, broken


def places(module, folders):
    """The files and folders of a module that lie in the folders."""
    file = getattr(module, "__file__", None)
    if file and hasattr(module, "__path__"):
        file = os.path.dirname(file)
    found = [file] if file else list(getattr(module, "__path__", ()))
    return [p for p in found if any(os.path.realpath(p).startswith(os.path.realpath(f) + os.sep) for f in folders)]


def loaded(folders):
    """The modules that were imported from the folders, by name."""
    return {name: module for name, module in list(sys.modules.items()) if "." not in name and places(module, folders)}


def mapped_files():
    """The shared objects this process has loaded, once the standard library's that need some of the system's are."""
    for name in ("_ctypes", "_sqlite3", "_lzma", "_bz2", "_hashlib", "_ssl", "_decimal", "zlib", "_uuid", "pyexpat",
                 "_elementtree", "_crypt", "_curses", "_curses_panel", "readline", "_dbm", "_gdbm", "nis"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    files = set()
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split(None, 5)[5].rstrip("\n") if line.count("/") else ""
            if ".so" in os.path.basename(path):
                files.add(path)
    return sorted(files)


def forget(folders):
    """Forgets the modules that .pth files have imported from the folders."""
    for name in loaded(folders):
        for m in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
            del sys.modules[m]


def main():
    folders = site_folders()
    forget(folders)
    found, broken = third_party(sys.argv[1:], folders)
    print(json.dumps({
        "version": list(sys.version_info[:3]),
        "implementation": sys.implementation.name,
        "executable": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
        "library": library,
        "site": folders,
        "modules": found,
        "packages": sorted(p for m in loaded(folders).values() for p in places(m, folders)),
        "broken": broken,
        "mapped": mapped_files(),
    }))


main()
