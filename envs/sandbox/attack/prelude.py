import os
import sys


def breach(what):
    print("BREACH", what, flush=True)


def denied(what):
    print("denied", what, flush=True)


def error(e):
    if isinstance(e, OSError) and e.errno:
        import errno
        return errno.errorcode.get(e.errno) or e.strerror or str(e.errno)
    text = str(e).split("\n")[0]
    return type(e).__name__ + (": " + text if text else "")


def attempt(what, act, *args):
    """Says whether act got through: it returns what it got, or None, or raises because it was not let."""
    try:
        got = act(*args)
    except (OSError, ImportError, AttributeError, NotImplementedError) as e:
        denied(what + ": " + error(e))
        return
    if got is None:
        denied(what + ": nothing")
    else:
        breach(what + ": " + repr(got)[:120])


def secret(data):
    """Says whether the host's secret is in there. It does not repeat it: what is shown may be found again later."""
    import re
    return "the secret" if re.search(rb"toolevo-secret-[0-9a-f]{32}", data) else None
