"""Runs sandbox, worker, notifier and board as real processes, with their own ports and folders, and checks them."""

import os
import pathlib
import subprocess
import sys
import urllib.request

import zmq
import zmq.auth

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Harness"))
from ports import reserve_port  # noqa: E402
from suite import WITH_SUITE  # noqa: E402
from waiting import PATIENCE, Failure, eventually  # noqa: E402

ENDPOINTS = ["requests", "commands", "events", "alerts", "alert_commands"]
PAGES = ["worker", "notifier", "board", "sandbox"]


class ProcessHarness:
    """Starts the processes one after the other, and kills those that are left at the end of its `with`.

    `settings` are additional environment variables. A process that is started again has the address it had before.
    """

    def __init__(self, program, folder, upstream=None, settings=None, encrypted=False):
        self.program, self.folder = str(program), pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.children = {}
        self.environment = {
            "PATH": os.environ["PATH"], "MARQUEE_DATA": f"{folder}/data", "MARQUEE_LOG_FORMAT": "json",
            "MARQUEE_KOBIS_KEY": "0" * 32, "MARQUEE_KAKAO_KEY": "0" * 32, "MARQUEE_PRIVATE_IMAGES": "allow",
            "MARQUEE_KOBIS_DAILY_LIMIT": "100000000", "MARQUEE_KAKAO_DAILY_LIMIT": "100000000",
            "MARQUEE_CLIENT_RATE": "100000", "MARQUEE_TRACEABLE": "yes",
        }
        self.take_addresses()
        self.environment |= {f"MARQUEE_{name.upper()}_HTTP": f"127.0.0.1:{reserve_port()}" for name in PAGES}
        self.environment |= settings or {}
        if encrypted:
            self.make_keys()
        url = upstream(self.page("sandbox")) if upstream else self.page("sandbox")
        self.environment |= {"MARQUEE_KOBIS_URL": f"{url}/kobisopenapi/webservice/rest", "MARQUEE_KAKAO_URL": url}
        try:
            for role in "sandbox", "worker", "notifier", "board":
                self.start(role)
        except BaseException:
            self.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind and kind is not SystemExit:
            for role in self.children:
                print(f"the log of the {role} ends with\n{self.log_tail(role)}", flush=True)
        self.kill()

    def take_addresses(self):
        """Gives the endpoints addresses that they did not have before."""
        self.environment |= {f"MARQUEE_{name.upper()}": f"tcp://127.0.0.1:{reserve_port()}" for name in ENDPOINTS}

    def make_keys(self):
        """Enables encryption on all ZeroMQ sockets, with a key for the servers, one for clients, and one without roles."""
        self.environment |= {"MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": f"{self.folder}/keys"}
        for words in (("server", "server"), ("client", "client", "--roles", "read,request,replay,shop,operate"),
                      ("client", "nobody", "--roles", "none")):
            subprocess.run(
                [self.program, "keys", "new", *words], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def connect(self, socket, name, address=None):
        """Connects to an endpoint, or to `address` if it is given, with a key if encryption is on."""
        if keys := self.environment.get("MARQUEE_CURVE_KEYS"):
            socket.curve_serverkey, _ = zmq.auth.load_certificate(f"{keys}/server.key")
            socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(f"{keys}/client.key_secret")
        socket.connect(address or self.address(name))

    def command(self, role):
        """Returns the command that runs a process."""
        return [self.program, role]

    def start(self, role, **changes):
        """Starts a process with changes to its environment, and waits until it is ready."""
        log = self.folder / f"{role}.log"
        with open(log, "w") as errors:
            child = subprocess.Popen([*WITH_SUITE, *self.command(role)], env=self.environment | changes,
                                     stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        self.children[role] = child

        def is_ready():
            if child.poll() is not None:
                raise Failure(f"the {role} ended with {child.returncode}: {self.log_tail(role)}")
            return f"{role} ready" in log.read_text()
        eventually(is_ready, f"the {role} is ready")

    def address(self, name):
        return self.environment[f"MARQUEE_{name.upper()}"]

    def page(self, role):
        return "http://" + self.environment[f"MARQUEE_{role.upper()}_HTTP"]

    def ports(self):
        """Returns all listening ports."""
        texts = [self.address(name) for name in ENDPOINTS] + [self.page(role) for role in PAGES]
        return [int(text.rsplit(":", 1)[1]) for text in texts]

    def size(self, role):
        """Returns the memory in megabytes and the number of open descriptors."""
        pid = self.children[role].pid
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6, len(os.listdir(f"/proc/{pid}/fd"))

    def check(self):
        """Checks that every process runs, serves its page and answers a command."""
        for role, child in self.children.items():
            if child.poll() is not None:
                raise Failure(f"the {role} ended with {child.returncode}: {self.log_tail(role)}")
        for role, page in ("worker", "/healthz"), ("notifier", "/healthz"), ("board", "/healthz"), ("sandbox", "/control"):
            with urllib.request.urlopen(self.page(role) + page, timeout=PATIENCE) as answer:
                if answer.status != 200:
                    raise Failure(f"{role}{page} returned status {answer.status}")
        for name in "commands", "alert_commands":
            socket = zmq.Context.instance().socket(zmq.REQ)
            socket.linger = 0
            self.connect(socket, name)
            socket.send_multipart([b"status", b"{}"])
            if not socket.poll(1000 * PATIENCE):
                raise Failure(f"no answer to `status` on {name} within {PATIENCE:.0f} s: the process hangs")
            socket.close()

    def log_tail(self, role):
        return (self.folder / f"{role}.log").read_text(errors="replace")[-2_000:]

    def stop(self, *roles):
        """Sends SIGTERM to one process after the other, and fails if one does not end with status 0."""
        for role in roles:
            child = self.children[role]
            child.terminate()
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                raise Failure(f"the {role} did not end within {PATIENCE:.0f} s of SIGTERM: {self.log_tail(role)}") from None
            del self.children[role]
            if child.returncode != 0:
                raise Failure(f"the {role} ended with {child.returncode}: {self.log_tail(role)}")

    def end(self):
        """Stops all processes, and returns what was wrong with those that did not end as they should."""
        failed = []
        for role in reversed(list(self.children)):
            try:
                self.stop(role)
            except Failure as failure:
                failed.append(str(failure))
        self.kill()
        return failed

    def kill(self):
        for child in self.children.values():
            child.kill()
            child.wait()
        self.children = {}
