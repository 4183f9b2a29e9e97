"""Chat and push services for tests, by their documented protocols, and an Apprise API server on the real Apprise.

Prints its port, then each message that a service took, as a line of JSON: service, text, headers.
"""

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import apprise

lock = threading.Lock()


class Service(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.body = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path
        if path == "/services/T0/B0/token":
            self.slack()
        elif path == "/api/webhooks/1/token?wait=true":
            self.discord()
        elif path.startswith("/bot"):
            self.telegram(path)
        elif path == "/":
            self.ntfy()
        elif path.startswith("/notify"):
            self.apprise(path)
        elif path == "/apprised":  # where the real Apprise passes on to
            self.took("apprise", self.json()["message"], title=self.json()["title"])
            self.answer(200, "")
        elif path == "/moved":
            self.answer(302, "", {"Location": "/services/T0/B0/token"})
        else:
            self.answer(404, "no_service")

    def slack(self):
        message = self.json()
        text = message.get("text")
        # Slack cuts texts of more than 40,000 characters; a link in a stranger's name must have no preview.
        if not text or len(text) > 40_000 or message["unfurl_links"] or message["unfurl_media"]:
            return self.answer(400, "no_text")
        self.took("slack", text)
        self.answer(200, "ok")

    def discord(self):
        message = self.json()
        if not 1 <= len(message["content"]) <= 2000 or message["allowed_mentions"] != {"parse": []} or message["flags"] != 4:
            return self.answer(400, '{"message": "Invalid Form Body", "code": 50035}')
        if "slow down" in message["content"]:
            return self.answer(429, '{"message": "You are being rate limited.", "retry_after": 7.0}', {"Retry-After": "7"})
        self.took("discord", message["content"])
        self.answer(200, '{"id": "1"}')

    def telegram(self, path):
        if path != "/bot12:token/sendMessage":
            return self.answer(401, '{"ok":false,"error_code":401,"description":"Unauthorized"}')
        message = self.json()
        if message["chat_id"] != "-1001":
            return self.answer(400, '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}')
        if "slow down" in message["text"]:
            return self.answer(429, '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 9",'
                                    '"parameters":{"retry_after":9}}')
        self.took("telegram", message["text"])
        self.answer(200, '{"ok":true,"result":{"message_id":1}}')

    def ntfy(self):
        if self.headers["Authorization"] not in (None, "Bearer tk_token"):
            return self.answer(403, '{"code":40301,"http":403,"error":"forbidden"}')
        message = self.json()
        if not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", message["topic"]) or len(message["message"].encode()) > 4096:
            return self.answer(400, '{"code":40009,"http":400,"error":"invalid request"}')
        self.took("ntfy", message["message"], title=message["title"], click=message.get("click"), tags=message["tags"])
        self.answer(200, json.dumps({"id": "x", "event": "message", "topic": message["topic"]}))

    def apprise(self, path):
        message = self.json()
        passed = apprise.Apprise()
        if path == "/notify/marquee":
            passed.add(f"json://127.0.0.1:{server.server_port}/apprised")
        elif path == "/notify" and "urls" in message:
            passed.add(message["urls"])
        else:
            return self.answer(204, "")
        is_told = passed.notify(body=message["body"], title=message.get("title") or "", notify_type=message["type"])
        self.answer(200 if is_told else 424, '{"error": null}' if is_told else '{"error": "failed"}')

    def json(self):
        return json.loads(self.body)

    def took(self, service, text, **others):
        with lock:
            print(json.dumps({"service": service, "text": text, "key": self.headers["Idempotency-Key"], **others}), flush=True)

    def answer(self, status, text, headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode() if status != 204 else b"")


server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
print(server.server_port, flush=True)
server.serve_forever()
