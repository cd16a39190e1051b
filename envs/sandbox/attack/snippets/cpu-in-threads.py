# wall: limits
# what: Computes for ever in several threads, outside of the interpreter's lock.
# ends: time, raised
import hashlib
import threading

data = bytes(64 << 20)


def burn():
    while True:
        hashlib.sha256(data)


try:
    for _ in range(4):
        threading.Thread(target=burn, daemon=True).start()
except RuntimeError as e:
    denied(error(e))
burn()
