#!/usr/bin/python3
"""Receives alerts from a webhook sink and prints each once: webhook.py PORT, the sink's secret in WEBHOOK_SECRET."""
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
KEY = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
seen = set()  # a real receiver stores the ids as long as the alerts


def is_genuine(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    code = base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
    is_fresh = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    return is_fresh and hmac.compare_digest(f"v1,{code}", headers["webhook-signature"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_genuine(self.headers, body):
            return self.send_error(401)
        events = json.loads(body)
        for event in events if isinstance(events, list) else [events]:  # a digest is a list
            if event["id"] not in seen:
                seen.add(event["id"])
                print(event["id"], event["data"]["text"]["ko"], flush=True)
        self.send_response(204)
        self.end_headers()


server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
