"""PNG files."""

import struct
import zlib


def png(width, height, rows, depth=8):
    """Returns an image of `depth` bits for each of three colours. Each row begins with a zero byte."""
    head = struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, 0)
    chunks = {b"IHDR": head, b"IDAT": zlib.compress(rows, 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items())
