"""Receives events and checks that each follows the one before: subscription.py ADDRESS COUNT; prints events a second."""
import sys, time
import orjson, zmq

address, count = sys.argv[1], int(sys.argv[2])
socket = zmq.Context().socket(zmq.SUB)
socket.rcvhwm = 0
socket.subscribe(b"ranking.")
socket.subscribe(b"heartbeat.")
socket.connect(address)
socket.recv_multipart()  # the heartbeat: the subscription is active
expected = 1
while expected <= count:
    topic, body = socket.recv_multipart()
    if expected == 1:
        began = time.perf_counter()
    event = orjson.loads(body)
    assert int(event["sequence"]) == expected and event["stream"] == "ranking"
    expected += 1
print(round(count / (time.perf_counter() - began)))
