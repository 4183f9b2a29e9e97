"""The same as peer.c over pyzmq: peer.py publish ADDRESS COUNT BYTES | peer.py subscribe ADDRESS COUNT."""
import sys, time
import zmq

verb, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
context = zmq.Context()
if verb == "publish":
    socket = context.socket(zmq.XPUB)
    socket.sndhwm = 0
    socket.bind(address)
    body = bytes(int(sys.argv[4]))
    socket.recv()  # somebody subscribed
    began = time.perf_counter()
    for _ in range(count):
        socket.send_multipart([b"ranking.day.all.2024-06-04", body])
else:
    socket = context.socket(zmq.SUB)
    socket.rcvhwm = 0
    socket.subscribe(b"")
    socket.connect(address)
    for number in range(count):
        socket.recv_multipart()
        if number == 0:
            began = time.perf_counter()
print(round(count / (time.perf_counter() - began)))
