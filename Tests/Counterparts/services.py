"""Chat and push services for tests, by their documented protocols, and an Apprise API server on the real Apprise.

Refuses what the services' documentation does not allow. Prints its port, then each message that a service took, as a line
of JSON: service, text, the whole payload. It also serves posters as the board does.
"""

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import apprise

lock = threading.Lock()
UNREACHABLE = "99999999"


def is_url(text):
    return re.fullmatch(r"https?://[^\s<>\"]+", text) is not None


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
            self.answer(200, "")
            self.took("apprise", self.json()["message"], self.json())
        elif path == "/hook":
            self.webhook()
        elif path == "/moved":
            self.answer(302, "", {"Location": "/services/new?x=1"})
        elif path == "/page":
            self.answer(200, "<!DOCTYPE html><title>Sign in</title>")
        elif path == "/proxy":
            self.answer(511, "")
        else:
            self.answer(404, "no_service")

    def do_GET(self):
        # A poster, of any movie but the one whose poster nobody can fetch.
        if self.path.startswith("/api/v1/posters/") and UNREACHABLE not in self.path:
            self.answer(200, "a picture", {"Content-Type": "image/jpeg"})
        else:
            self.answer(404, "no_poster")

    def webhook(self):
        self.answer(204, "")
        self.took("webhook", "", self.json())

    def slack(self):
        message = self.json()
        text = message.get("text")
        # Slack cuts texts of more than 40,000 characters; a link in a stranger's name must have no preview.
        if not text or len(text) > 40_000 or message["unfurl_links"] or message["unfurl_media"]:
            return self.answer(400, "no_text")
        blocks = message["blocks"]
        is_valid = 1 <= len(blocks) <= 50 and len(json.dumps(blocks, ensure_ascii=False)) < 13_000
        for block in blocks:
            is_valid &= block["type"] == "section" and block["text"]["type"] == "mrkdwn" and block["text"]["verbatim"]
            is_valid &= 1 <= len(block["text"]["text"]) <= 3000
            if "accessory" in block:
                image = block["accessory"]
                # Slack fetches the image before it takes the message.
                is_valid &= image["type"] == "image" and is_url(image["image_url"]) and UNREACHABLE not in image["image_url"]
                is_valid &= 1 <= len(image["alt_text"]) <= 2000
        if not is_valid:
            return self.answer(400, "invalid_blocks")
        self.answer(200, "ok")
        self.took("slack", text, message)

    def discord(self):
        message = self.json()
        is_valid = message["allowed_mentions"] == {"parse": []} and 1 <= len(message["embeds"]) <= 10
        size = 0
        for embed in message["embeds"]:
            is_valid &= 1 <= len(embed["title"]) <= 256 and 1 <= len(embed["description"]) <= 4096
            is_valid &= 0 <= embed["color"] <= 0xFFFFFF and is_url(embed.get("url", "https://x"))
            is_valid &= is_url(embed.get("thumbnail", {"url": "https://x"})["url"])
            size += len(embed["title"]) + len(embed["description"])
        if not is_valid or size > 6000:
            return self.answer(400, '{"message": "Invalid Form Body", "code": 50035}')
        text = message["embeds"][0]["description"]
        if "slow down" in text:
            return self.answer(429, '{"message": "You are being rate limited.", "retry_after": 7.5}', {"Retry-After": "7"})
        self.answer(200, '{"id": "1"}')
        self.took("discord", text, message)

    def telegram(self, path):
        if path != "/bot12:token/sendMessage":
            return self.answer(401, '{"ok":false,"error_code":401,"description":"Unauthorized"}')
        message = self.json()
        if message["chat_id"] != "-1001":
            return self.answer(400, '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}')
        text, entities, preview = message["text"], message["entities"], message["link_preview_options"]
        units = text.encode("utf-16-le")
        is_valid = len(units) // 2 <= 4096 and len(entities) <= 100
        # Without a preview of its own, the first link in the text would get one.
        is_valid &= preview == {"is_disabled": True} or not preview["is_disabled"] and is_url(preview["url"])
        spans = []
        for entity in entities:
            start, end = entity["offset"] * 2, (entity["offset"] + entity["length"]) * 2
            is_valid &= 0 <= start < end <= len(units) and (entity["type"] == "bold" or is_url(entity["url"]))
            spans.append([entity["type"], units[start:end].decode("utf-16-le"), entity.get("url", "")])
        if not is_valid:
            return self.answer(400, '{"ok":false,"error_code":400,"description":"Bad Request: message is too long"}')
        if "slow down" in text:
            return self.answer(429, '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 9",'
                                    '"parameters":{"retry_after":9}}')
        self.answer(200, '{"ok":true,"result":{"message_id":1}}')
        self.took("telegram", text, message | {"spans": spans})

    def ntfy(self):
        if self.headers["Authorization"] not in (None, "Bearer tk_token"):
            return self.answer(403, '{"code":40301,"http":403,"error":"forbidden"}')
        message = self.json()
        # It reads a body of twice the largest message, and makes an attachment of a larger message.
        is_valid = re.fullmatch(r"[-_A-Za-z0-9]{1,64}", message["topic"]) and len(self.body) <= 8192
        is_valid = is_valid and len(message["message"].encode()) <= 4096 and 1 <= message["priority"] <= 5
        for key in ("click", "icon", "attach"):
            is_valid = is_valid and is_url(message.get(key, "https://x"))
        if not is_valid:
            return self.answer(400, '{"code":40009,"http":400,"error":"invalid request"}')
        self.answer(200, json.dumps({"id": "x", "event": "message", "topic": message["topic"]}))
        self.took("ntfy", message["message"], message)

    def apprise(self, path):
        message = self.json()
        passed = apprise.Apprise()
        if path == "/notify/marquee":
            passed.add(f"json://127.0.0.1:{server.server_port}/apprised")
        elif path == "/notify" and "urls" in message:
            passed.add(message["urls"])
        else:
            return self.answer(204, "")
        attachment = apprise.AppriseAttachment(message["attach"]) if "attach" in message else None
        # The API server fetches an attachment first, and refuses the message if it cannot.
        if attachment is not None and not all(attachment):
            return self.answer(400, '{"error": "Bad attachment"}')
        is_told = passed.notify(
            body=message["body"], title=message.get("title") or "", notify_type=message["type"], attach=attachment)
        self.answer(200 if is_told else 424, '{"error": null}' if is_told else '{"error": "failed"}')

    def json(self):
        return json.loads(self.body)

    def took(self, service, text, payload):
        # After the answer: the pipe may be full until the test has it.
        with lock:
            print(json.dumps({"service": service, "text": text, "payload": payload}), flush=True)

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
