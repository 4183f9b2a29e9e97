#!/usr/bin/env python3
"""Asks a worker with CURVE for its status, and waits for its heartbeat. Needs pyzmq (Debian: python3-zmq).

MARQUEE_CURVE_KEYS is a folder that holds the server's public key and the key pair of a client that the server knows.
"""
import json, os, sys
import zmq
import zmq.auth

keys = os.environ.get("MARQUEE_CURVE_KEYS", "./marquee-keys")
client = os.environ.get("MARQUEE_CURVE_CLIENT", "client")
server, _ = zmq.auth.load_certificate(f"{keys}/server.key")
public, secret = zmq.auth.load_certificate(f"{keys}/{client}.key_secret")
context = zmq.Context()
context.linger = 0


def connect(kind, variable, otherwise):
    socket = context.socket(kind)
    # Set the keys before connecting: later they have no effect.
    socket.curve_serverkey, socket.curve_publickey, socket.curve_secretkey = server, public, secret
    socket.connect(os.environ.get(variable, otherwise))
    return socket


def receive(socket, missing):
    return socket.recv_multipart() if socket.poll(60000) else sys.exit(missing)


commands = connect(zmq.REQ, "MARQUEE_COMMANDS", "tcp://127.0.0.1:5551")
commands.send_multipart([b"status", b"{}"])
word, status = receive(commands, "no answer: does the server know this key?")
print(word.decode(), json.loads(status)["version"])
events = connect(zmq.SUB, "MARQUEE_EVENTS", "tcp://127.0.0.1:5552")
events.subscribe("heartbeat.worker")
print(receive(events, "no heartbeat: does the key have the role read?")[0].decode())
