"""A client of the processes, as any program with a ZeroMQ library is one."""

import json
import uuid

import zmq
import zmq.auth

from waiting import Failure, eventually

AGAIN = 10  # seconds after which a question is asked again, whose answer may have been lost with a connection


class Client:
    """Finds addresses and keys in an environment, which may change. Its key is MARQUEE_CURVE_CLIENT or `client`."""

    def __init__(self, environment):
        self.environment = environment

    def open(self, kind, name, address=None):
        """Returns a socket that connects to an endpoint, or to `address` in its place."""
        socket = zmq.Context.instance().socket(kind)
        socket.linger = 0
        if keys := self.environment.get("MARQUEE_CURVE_KEYS"):
            own = self.environment.get("MARQUEE_CURVE_CLIENT", "client")
            socket.curve_serverkey, _ = zmq.auth.load_certificate(f"{keys}/server.key")
            socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(f"{keys}/{own}.key_secret")
        socket.connect(address or self.environment[f"MARQUEE_{name.upper()}"])
        return socket

    def ask(self, *frames, endpoint="commands"):
        """Returns the frames of the answer to a command; a frame that is no bytes is sent as JSON."""
        frames = [frame if isinstance(frame, bytes) else json.dumps(frame).encode() for frame in frames]
        with self.open(zmq.DEALER, endpoint) as socket:
            def answer():
                socket.send_multipart(frames)
                return socket.poll(1000 * AGAIN) and socket.recv_multipart()
            return eventually(answer, f"an answer to {frames[0].decode()} on {endpoint}")

    def request(self, topic, **fields):
        """Sends a request, and returns its id once it is accepted."""
        word, body = self.ask(topic.encode(), {"id": f"{uuid.uuid4()}"} | fields)
        if word != b"accepted":
            raise Failure(f"{topic} {fields} was refused: {body.decode()}")
        return json.loads(body)["id"]

    def ended(self, request):
        """Returns the event that ended a request, once it has."""
        def end():
            events = self.latest(f"request.done.{request}") + self.latest(f"request.failed.{request}")
            return [event for event in events if event["correlationid"] == request]
        return eventually(end, f"the end of the request {request}")[0]

    def latest(self, topic, endpoint="commands"):
        """Returns the newest event of each topic that begins so."""
        answer = self.ask(b"latest", {"topic": topic, "limit": 5000}, endpoint=endpoint)
        return [json.loads(body) for body in answer[3::2]]

    def replay(self, *streams, endpoint="commands"):
        """Returns topic and body of every event of the streams, page by page, and the epoch."""
        events, head = [], {}
        for stream in streams:
            head = {"more": True, "position": ""}
            while head["more"]:
                question = {"stream": stream, "after": head["position"], "limit": 500}
                word, answer, *frames = self.ask(b"replay", question, endpoint=endpoint)
                if word != b"events":
                    raise Failure(f"replay of {stream}: {answer.decode()}")
                head = json.loads(answer)
                events += [[frame.decode() for frame in pair] for pair in zip(frames[::2], frames[1::2], strict=True)]
        return events, head["epoch"]
