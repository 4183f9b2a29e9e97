"""The same as `peer publish` over pyzmq: peer.py ADDRESS COUNT BYTES SUBSCRIBERS."""
import os, sys
import zmq

address, count, size, subscribers = sys.argv[1], *map(int, sys.argv[2:5])
context = zmq.Context()
socket = context.socket(zmq.XPUB)
socket.sndhwm = 0
socket.xpub_verbose = True
if "CURVE_SECRET" in os.environ:
    socket.curve_server = True
    socket.curve_secretkey = os.environ["CURVE_SECRET"].encode()
socket.bind(address)
body = bytes(size)
for _ in range(subscribers):
    socket.recv()  # each has subscribed
for _ in range(count):
    socket.send_multipart([b"ranking.day.all.2024-06-04", body])
socket.close()
context.term()  # waits until everything is sent; otherwise queued messages are lost
