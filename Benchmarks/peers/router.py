"""A ROUTER that answers each message with BYTES bytes: router.py ADDRESS BYTES."""
import sys
import zmq

socket = zmq.Context().socket(zmq.ROUTER)
socket.bind(sys.argv[1])
answer = bytes(int(sys.argv[2]))
while True:
    socket.send_multipart([socket.recv_multipart()[0], b"status", answer])
