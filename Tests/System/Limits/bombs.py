"""Images and bodies that are small on the wire and large in memory."""

import struct
import zlib

from png import png


def segment(marker, body):
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def progressive_jpeg(width, height, components=3):
    """Returns a grey progressive JPEG: two bytes of memory for each sample, one bit in the file for each 64."""
    parts = range(1, components + 1)
    frame = struct.pack(">BHHB", 8, height, width, components) + b"".join(bytes([part, 0x11, 0]) for part in parts)
    codes = bytes([1]) + bytes(15) + b"\0"  # the code 0 means: no difference to the block before
    scan = bytes([components]) + b"".join(bytes([part, 0]) for part in parts) + bytes([0, 0, 0])
    blocks = (width + 7) // 8 * ((height + 7) // 8) * components
    return (b"\xff\xd8" + segment(0xDB, b"\0" + b"\1" * 64) + segment(0xC2, frame) + segment(0xC4, b"\0" + codes)
            + segment(0xDA, scan) + bytes((blocks + 7) // 8) + b"\xff\xd9")


def black(width, height, depth=8):
    """Returns a black PNG."""
    return png(width, height, bytes((1 + width * 3 * depth // 8) * height), depth)


def gzip(pieces):
    """Returns what gzip makes of these bytes."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(piece) for piece in pieces) + packer.flush()


# Just below the 64 MB that a decoder may need, and far above; each decoder, and an image that is an archive of itself.
IMAGES = [
    progressive_jpeg(3_200, 3_200), progressive_jpeg(6_300, 6_300), progressive_jpeg(6_300, 6_300, components=4),
    black(4_400, 4_400), black(6_300, 6_300), black(3_000, 3_000, depth=16), gzip([bytes(1 << 20)] * 100),
]

# 8 MiB of JSON, 256 MiB of zeros, 500 levels, and a text without an end.
BODIES = [
    gzip([b"[" + b"0," * (4 << 20) + b"0]"]), gzip([bytes(1 << 20)] * 256), gzip([b"[" * 500 + b"]" * 500]),
    gzip([b'{"boxOfficeResult":{"dailyBoxOfficeList":[' + b"{}," * 300_000 + b"{}]}}"]),
    gzip([b'{"a":"' + b"a" * (7 << 20)]),
]
