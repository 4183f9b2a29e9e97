"""An installation of any version of the program: its processes, their addresses, and what a client reads of them."""

import contextlib
import http.server
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import threading
import urllib.request

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Harness"))
from ports import reserve_port  # noqa: E402
from suite import WITH_SUITE  # noqa: E402
from waiting import PATIENCE, Failure, eventually  # noqa: E402

# What is waiting in an archive fails at this address until the upgrade.
NOBODY = "http://127.0.0.1:9/desk"
RULES = """\
rules:
  entered:
  left:
  rose: {{by: 3}}
  fell: {{by: 3}}
  lead:
sinks:
  paper: {{kind: file, path: {folder}/letters.jsonl}}
  desk: {{kind: webhook, url: "{url}", secret: upgrade}}
"""


class Installation:
    """A data folder, and the processes of one version. Old versions know few variables, so only few are set."""

    def __init__(self, program, folder, has_rules=True, url=NOBODY):
        self.program, self.folder, self.children = str(program), pathlib.Path(folder), {}
        self.data = self.folder / "data"
        self.data.mkdir(exist_ok=True)
        self.environment = {
            "PATH": os.environ["PATH"], "MARQUEE_DATA": str(self.data), "MARQUEE_KOBIS_KEY": "0" * 32,
            "MARQUEE_KAKAO_KEY": "0" * 32, "MARQUEE_PRIVATE_IMAGES": "allow", "MARQUEE_SCHEDULE": "off"}
        for name in "REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS":
            self.environment[f"MARQUEE_{name}"] = f"ipc://{self.folder}/{name.lower()}"
        for role in "SANDBOX", "WORKER", "NOTIFIER", "BOARD":
            self.environment[f"MARQUEE_{role}_HTTP"] = f"127.0.0.1:{reserve_port()}"
        url_of_sandbox = self.page("sandbox")
        self.environment |= {
            "MARQUEE_KOBIS_URL": f"{url_of_sandbox}/kobisopenapi/webservice/rest", "MARQUEE_KAKAO_URL": url_of_sandbox}
        if has_rules:
            rules = self.folder / "rules.yml"
            rules.write_text(RULES.format(folder=self.folder, url=url))
            self.environment["MARQUEE_RULES"] = str(rules)
        self.context = zmq.Context()

    def page(self, role):
        return "http://" + self.environment[f"MARQUEE_{role.upper()}_HTTP"]

    # MARK: Processes

    def start(self, *roles):
        for role in roles:
            with open(self.folder / f"{role}.log", "a") as log:
                self.children[role] = subprocess.Popen(
                    [*WITH_SUITE, self.program, role], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            eventually(lambda: self.is_ready(role), f"the {role} is ready")

    def is_ready(self, role):
        if self.children[role].poll() is not None:
            raise Failure(f"the {role} ended: {self.log(role)}")
        with urllib.request.urlopen(self.page(role) + ("/control" if role == "sandbox" else "/readyz"), timeout=PATIENCE):
            return True

    def log(self, role):
        return (self.folder / f"{role}.log").read_text()[-2_000:]

    def stop(self, *roles):
        for role in roles or reversed(list(self.children)):
            child = self.children[role]
            child.terminate()
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                raise Failure(f"the {role} did not stop: {self.log(role)}") from None
            del self.children[role]
            if child.returncode != 0:
                raise Failure(f"the {role} ended with {child.returncode}: {self.log(role)}")

    def close(self):
        for child in self.children.values():
            child.kill()
            child.wait()
        self.context.destroy(linger=0)

    def marquee(self, *words):
        """Runs a command; returns its status and what it printed."""
        done = subprocess.run(
            [self.program, *words], env=self.environment, text=True, capture_output=True, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    # MARK: Clients

    def ask(self, name, *frames):
        """Asks a ROUTER endpoint, and returns the frames of its answer."""
        dealer = self.context.socket(zmq.DEALER)
        try:
            dealer.connect(self.environment[f"MARQUEE_{name}"])
            dealer.send_multipart([frame if isinstance(frame, bytes) else json.dumps(frame).encode() for frame in frames])
            if not dealer.poll(1_000 * PATIENCE):
                raise Failure(f"no answer to {frames} within {PATIENCE:.0f} s")
            return dealer.recv_multipart()
        finally:
            dealer.close(linger=0)

    def request(self, topic, **fields):
        """Sends a request, and returns its id once it is on disk."""
        word, body = self.ask("COMMANDS", topic.encode(), fields)
        if word != b"accepted":
            raise Failure(f"{topic} {fields}: {body.decode()}")
        return json.loads(body)["id"]

    def ended(self, request):
        """Returns the event that ended a request, once it has."""
        def end():
            events = self.latest("COMMANDS", "request.")
            return next((event for event in events if event["correlationid"] == request and "accepted" not in event["type"]), None)
        return eventually(end, f"the end of the request {request}")

    def latest(self, name, topic):
        return [json.loads(body) for body in self.ask(name, b"latest", {"topic": topic, "limit": 5000})[3::2]]

    def replay(self, name, *streams):
        """Returns topic and body of every event of the streams, and the epoch."""
        events = []
        for stream in streams:
            word, head, *frames = self.ask(name, b"replay", {"stream": stream, "after": "", "limit": 5000})
            if word != b"events" or json.loads(head)["more"]:
                raise Failure(f"replay of {stream}: {head.decode()}")
            events += [[frame.decode() for frame in pair] for pair in zip(frames[::2], frames[1::2], strict=True)]
        return events, json.loads(head)["epoch"]

    def set_faults(self, faults):
        """Replaces the sandbox's faults."""
        request = urllib.request.Request(f"{self.page('sandbox')}/control", data=json.dumps(faults).encode(), method="PUT")
        urllib.request.urlopen(request, timeout=PATIENCE).close()

    def board(self, path):
        """Returns the board's answer, once it has one."""
        def answer():
            with urllib.request.urlopen(f"{self.page('board')}/api/v1/{path}", timeout=PATIENCE) as answer:
                return json.load(answer)
        return eventually(answer, f"the board knows {path}")

    def rows(self, database, query):
        """Returns the rows of a database that another process may have open."""
        with contextlib.closing(sqlite3.connect(f"file:{self.data}/{database}?mode=ro", uri=True)) as connection:
            return [list(row) for row in connection.execute(query)]


class Desk:
    """A webhook: keeps the keys of the letters that it accepts."""

    def __init__(self):
        self.keys = []
        desk = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Accepts a letter."""

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                desk.keys.append(self.headers["webhook-id"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                """Prints nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/desk"
