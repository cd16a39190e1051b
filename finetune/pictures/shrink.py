"""Makes a screenshot small: PNG of up to 256 colours from one of 8-bit RGB or RGBA, such as Chromium's. shrink.py IN OUT"""

import collections
import struct
import sys
import zlib


def rows(data: bytes):
    """The rows of an image, as bytes without filters, and the bytes of a pixel."""
    width, height, depth, kind, *_, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    size = {2: 3, 6: 4}[kind]
    assert depth == 8 and not interlaced
    at, packed = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += length + 12
    raw, stride, above = zlib.decompress(packed), width * size, bytearray(width * size)
    for y in range(height):
        how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = (row[i - size], above[i], above[i - size]) if i >= size else (0, above[i], 0)
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[how]) & 255
        above = row
        yield [tuple(row[i : i + 3]) for i in range(0, stride, size)]


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


image = list(rows(open(sys.argv[1], "rb").read()))
colours = [c for c, _ in collections.Counter(c for row in image for c in row).most_common()]
palette = colours[:256]
index = {c: min(range(len(palette)), key=lambda i: sum((x - y) ** 2 for x, y in zip(c, palette[i]))) for c in colours}
pixels = b"".join(b"\0" + bytes(index[c] for c in row) for row in image)
with open(sys.argv[2], "wb") as out:
    out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(image[0]), len(image), 8, 3, 0, 0, 0)))
    out.write(chunk(b"PLTE", b"".join(map(bytes, palette))) + chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b""))
