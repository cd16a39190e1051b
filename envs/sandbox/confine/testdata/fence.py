# Puts the filter on itself that the first argument describes, and runs the program that the second one is.
import base64
import ctypes
import json
import os
import sys


def fence(filter, pids):
    program = bytearray(base64.b64decode(filter))
    for offset in pids:
        program[offset:offset + 4] = os.getpid().to_bytes(4, sys.byteorder)
    held = (ctypes.c_char * len(program)).from_buffer(program)

    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    argument = Program(len(program) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, ctypes.c_ulong(2), ctypes.byref(argument), 0, 0) != 0:  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        sys.exit("the filter is refused: " + os.strerror(ctypes.get_errno()))


def tried(run):
    try:
        return run()
    except OSError as e:
        return e.strerror


setup = json.loads(sys.argv[1])
sys.path[:] = setup["path"]
exec(setup["before"])
if setup["filter"]:
    fence(setup["filter"], setup["pids"])
exec(sys.argv[2])
