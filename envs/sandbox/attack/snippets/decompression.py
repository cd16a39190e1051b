# wall: limits
# what: Unpacks a few kilobytes to gigabytes.
# ends: time, raised
import zlib

packer = zlib.compressobj(9, zlib.DEFLATED, -15)
part = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)  # can be repeated
try:
    size = len(zlib.decompressobj(-15).decompress(part * 4096))
    breach("unpacked %d MiB" % (size >> 20))
except MemoryError:
    denied("MemoryError")
