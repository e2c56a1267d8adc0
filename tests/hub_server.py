"""A server on this machine that speaks the Hub's API as far as its library needs it, with faults on demand."""

import hashlib
import json
import re
import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
RESOLVE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
API = re.compile(r"/api/models/([^/]+/[^/?]+)(?:/revision/([^?]+))?(?:\?.*)?")


def safetensors(tensors, size=4):
    """Return a file of safetensors: shapes by name, so many bytes for each number, which are zeros."""
    header, at = {}, 0
    for name, shape in tensors.items():
        count = size
        for side in shape:
            count *= side
        header[name] = {"dtype": "F32" if size == 4 else "BF16", "shape": list(shape), "data_offsets": [at, at + count]}
        at += count
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(at)


@dataclass
class Hub:
    """Models by name: their files; what was asked for; and faults: a pattern of requests and what answers them."""

    models: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    faults: dict = field(default_factory=dict)
    url: str = ""

    def times(self, pattern):
        """Return how many requests match a pattern."""
        return sum(re.search(pattern, one) is not None for one in self.asked)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_HEAD(self):
        """Answer without a body."""
        self.answer()

    def do_GET(self):
        """Answer with a body."""
        self.answer()

    def log_message(self, *_):
        """Say nothing."""

    def answer(self):
        """Answer from the models, or as a fault says."""
        text = f"{self.command} {self.path} {self.headers.get('Range', '')}".strip()
        self.hub.asked.append(text)
        for pattern, fault in self.hub.faults.items():
            if re.search(pattern, text):
                fault(self)
                return
        if match := API.fullmatch(self.path):
            self.describe(match[1], match[2])
        elif match := RESOLVE.fullmatch(self.path):
            self.give(match[1], match[3])
        else:
            self.refuse(404)

    def describe(self, name, revision):
        """Answer with the files of a model."""
        if name not in self.hub.models:
            self.refuse(404, "RepoNotFound")
        elif revision not in (None, "main", "v1", COMMIT):
            self.refuse(404, "RevisionNotFound")
        else:
            files = self.hub.models[name]
            siblings = [{"rfilename": one, "size": len(data), "blobId": "0"} for one, data in files.items()]
            self.send(200, json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}).encode())

    def give(self, name, file):
        """Answer with a file, or with a range of it."""
        data = self.hub.models.get(name, {}).get(file)
        if data is None:
            self.refuse(404, "EntryNotFound")
            return
        headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}  # noqa: S324 - git's
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            self.send(200, data, headers)
            return
        begin, end = int(wanted[1]), min(int(wanted[2] or len(data)), len(data) - 1)
        self.send(206, data[begin : end + 1], {**headers, "Content-Range": f"bytes {begin}-{end}/{len(data)}"})

    def refuse(self, status, code="", headers=()):
        """Answer with an error, as the Hub says which."""
        more = {"X-Error-Code": code, "X-Error-Message": "refused"} if code else {}
        self.send(status, b"{}", {**more, **dict(headers)})

    def send(self, status, data, headers=()):
        """Send an answer."""
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def send_half(self, status=200):
        """Send half of what is promised, and hang up."""
        data = self.hub.models["org/model"]["config.json"]
        self.send_response(status)
        self.send_header("ETag", '"half"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data[: len(data) // 2])
        self.close_connection = True


def status(number, code="", **headers):
    """Return a fault that answers with a status."""
    return lambda handler: handler.refuse(number, code, {key.replace("_", "-"): text for key, text in headers.items()})


def wait(seconds):
    """Return a fault that lets who asks wait, and answers nothing."""

    def fault(handler):
        threading.Event().wait(seconds)
        handler.close_connection = True

    return fault


def redirect(handler):
    """Answer that a model has moved."""
    handler.refuse(307, headers={"Location": handler.path.replace("org/old", "org/model")})


@contextmanager
def serving():
    """Give a Hub that serves until the end."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"hub": hub}))
    server.daemon_threads, server.block_on_close = True, False
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
