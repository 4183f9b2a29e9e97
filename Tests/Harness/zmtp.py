"""A ZMTP client made of bytes: it says what a library would not, in plain and inside CURVE.

ZMTP 2.0, 3.0 and 3.1 (rfc.zeromq.org/spec/23), CURVE (spec/26) by libsodium, which libzmq itself needs.
"""

import ctypes
import os
import socket
import struct

import zmq.auth
from zmq.utils import z85

from waiting import PATIENCE

MORE, LONG, COMMAND = 1, 2, 4
sodium = ctypes.CDLL("libsodium.so.23")
if sodium.sodium_init() < 0:
    raise OSError("libsodium cannot be used")


class HandshakeError(Exception):
    """The server closed the connection, or answered with an ERROR command."""


class Keys:
    """A client's key pair and the server's public key, from a folder of keys."""

    def __init__(self, folder, name):
        self.server = z85.decode(zmq.auth.load_certificate(f"{folder}/server.key")[0])
        self.public, self.secret = map(z85.decode, zmq.auth.load_certificate(f"{folder}/{name}.key_secret"))


def key_pair():
    """Returns a new public and secret key."""
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    sodium.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


def box(text, nonce, public, secret):
    """Encrypts and authenticates a text."""
    sealed = ctypes.create_string_buffer(len(text) + 16)
    sodium.crypto_box_easy(sealed, text, ctypes.c_ulonglong(len(text)), nonce, public, secret)
    return sealed.raw


def unbox(sealed, nonce, public, secret):
    """Opens what `box` returned; raises HandshakeError if it was made with other keys."""
    text = ctypes.create_string_buffer(max(0, len(sealed) - 16))
    if len(sealed) < 16 or sodium.crypto_box_open_easy(
            text, sealed, ctypes.c_ulonglong(len(sealed)), nonce, public, secret) != 0:
        raise HandshakeError("a box cannot be opened")
    return text.raw


def frame(body, flags=0):
    """Returns a frame of ZMTP 3 with its length."""
    if len(body) > 255 or flags & LONG:
        return struct.pack(">BQ", flags | LONG, len(body)) + body
    return struct.pack(">BB", flags, len(body)) + body


def command(name, body=b""):
    """Returns the body of a command."""
    return bytes([len(name)]) + name + body


def metadata(**properties):
    """Returns properties as READY and INITIATE have them; `_` in a name stands for a hyphen."""
    return b"".join(
        bytes([len(name)]) + name.replace("_", "-").encode() + struct.pack(">I", len(value)) + value
        for name, value in properties.items())


def greeting(mechanism=b"NULL", version=(3, 0)):
    """Returns the 64 bytes with which both sides begin."""
    return b"\xff" + bytes(8) + b"\x7f" + bytes(version) + mechanism.ljust(20, b"\0") + bytes(32)


class ZMTPClient:
    """A connection of ZMTP. With `keys` it is encrypted."""

    def __init__(self, address, keys=None, source=None, timeout=PATIENCE):
        self.keys = keys
        self.received = b""
        self.shared = None
        self.nonce = 0
        place = address.removeprefix("tcp://").rsplit(":", 1)
        self.socket = socket.create_connection(
            (place[0], int(place[1])), timeout=timeout, source_address=(source, 0) if source else None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def read(self, count):
        """Returns exactly that many bytes."""
        while len(self.received) < count:
            if not (more := self.socket.recv(1 << 16)):
                raise HandshakeError("the server closed the connection")
            self.received += more
        text, self.received = self.received[:count], self.received[count:]
        return text

    def read_frame(self):
        """Returns flags and body of the next frame as it is on the wire."""
        flags = self.read(1)[0]
        size = struct.unpack(">Q", self.read(8))[0] if flags & LONG else self.read(1)[0]
        return flags, self.read(size)

    def is_open(self):
        """Returns whether the server has not closed the connection; drops what it has sent."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(1 << 16):
                pass
            return False
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            self.socket.settimeout(PATIENCE)

    # Handshakes

    def handshake(self, kind=b"DEALER", identity=b"", version=(3, 0)):
        """Greets and is admitted; raises HandshakeError if not."""
        mechanism = b"CURVE" if self.keys else b"NULL"
        self.socket.sendall(greeting(mechanism, version))
        self.read(64)
        properties = metadata(Socket_Type=kind, Identity=identity)
        if self.keys:
            self.socket.sendall(frame(self.hello(), COMMAND))
            self.welcome(self.read_frame()[1])
            self.socket.sendall(frame(self.initiate(properties), COMMAND))
        else:
            self.socket.sendall(frame(command(b"READY", properties), COMMAND))
        answer = self.read_frame()[1]
        if not answer.startswith(b"\x05READY"):
            raise HandshakeError(f"the server answers {answer[:40]!r}")
        return self

    def short_nonce(self, prefix):
        self.nonce += 1
        return prefix + struct.pack(">Q", self.nonce)

    def hello(self):
        self.public, self.secret = key_pair()
        nonce = self.short_nonce(b"CurveZMQHELLO---")
        return command(b"HELLO", b"\x01\x00" + bytes(72) + self.public + nonce[16:]
                       + box(bytes(64), nonce, self.keys.server, self.secret))

    def welcome(self, body):
        if not body.startswith(b"\x07WELCOME"):
            raise HandshakeError(f"the server answers {body[:40]!r}")
        text = unbox(body[24:], b"WELCOME-" + body[8:24], self.keys.server, self.secret)
        self.peer, self.cookie = text[:32], text[32:]
        self.shared = ctypes.create_string_buffer(32)
        sodium.crypto_box_beforenm(self.shared, self.peer, self.secret)

    def initiate(self, properties):
        vouch_nonce = os.urandom(16)
        vouch = box(self.public + self.keys.server, b"VOUCH---" + vouch_nonce, self.peer, self.keys.secret)
        nonce = self.short_nonce(b"CurveZMQINITIATE")
        return command(b"INITIATE", self.cookie + nonce[16:] + box(
            self.keys.public + vouch_nonce + vouch + properties, nonce, self.peer, self.secret))

    # Messages

    def wire(self, body, flags=0):
        """Returns the bytes of a frame after the handshake, encrypted if the connection is."""
        if not self.keys:
            return frame(body, flags)
        nonce = self.short_nonce(b"CurveZMQMESSAGEC")
        text = bytes([(flags & MORE) | (2 if flags & COMMAND else 0)]) + body
        sealed = ctypes.create_string_buffer(len(text) + 16)
        sodium.crypto_box_easy_afternm(sealed, text, ctypes.c_ulonglong(len(text)), nonce, self.shared)
        return frame(command(b"MESSAGE", nonce[16:] + sealed.raw))

    def send(self, *frames, ends=True):
        """Sends a message; with `ends` false one whose last frame does not come."""
        last = len(frames) - 1 if ends else None
        self.socket.sendall(b"".join(
            self.wire(body, 0 if place == last else MORE) for place, body in enumerate(frames)))

    def receive(self):
        """Returns the frames of the next message; commands of libzmq, such as PING, are left out."""
        frames = []
        while True:
            flags, body = self.read_frame()
            is_command = bool(flags & COMMAND)
            more = bool(flags & MORE)
            if self.keys:
                text = ctypes.create_string_buffer(max(0, len(body) - 32))
                nonce = b"CurveZMQMESSAGES" + body[8:16]
                if not body.startswith(b"\x07MESSAGE") or sodium.crypto_box_open_easy_afternm(
                        text, body[16:], ctypes.c_ulonglong(len(body) - 16), nonce, self.shared) != 0:
                    raise HandshakeError(f"the server sends {body[:40]!r}")
                is_command, more, body = bool(text.raw[0] & 2), bool(text.raw[0] & 1), text.raw[1:]
            if is_command:
                continue
            frames.append(body)
            if not more:
                return frames
