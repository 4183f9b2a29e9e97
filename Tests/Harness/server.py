"""HTTP servers of suites: upstreams, proxies before them, and webhooks."""

import http.server
import threading
import urllib.error
import urllib.request

from waiting import PATIENCE

# Of each connection anew.
OF_CONNECTION = {"host", "connection", "accept-encoding", "content-length"}


class Server:
    """Answers each request with what `answer` returns, which a suite defines."""

    def __init__(self):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                if not (answer := server.answer(self)):
                    self.close_connection = True
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in (headers | {"Content-Length": str(len(body))}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, *_):
                """Prints nothing."""

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.handle_error = lambda *_: None  # who asked has gone
        self.address = f"127.0.0.1:{self.http.server_port}"
        self.url = f"http://{self.address}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, request):
        """Returns status, headers and body; None to hang up. The body of the request is in `request.body`."""
        raise NotImplementedError

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def forward(request, url):
    """Returns what the server at an address answers to a request."""
    headers = {name: value for name, value in request.headers.items() if name.lower() not in OF_CONNECTION}
    status, headers, body = fetch(url + request.path, request.body or None, headers, request.command)
    return status, {"Content-Type": headers["Content-Type"] or "application/json"}, body


def fetch(url, body=None, headers={}, method=None):
    """Returns status, headers and body of an answer, whatever the status."""
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=PATIENCE)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers, answer.read()
