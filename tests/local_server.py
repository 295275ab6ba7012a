"""HTTP servers of tests: on localhost, in a thread of this process, for the length of a block."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class LocalHandler(BaseHTTPRequestHandler):
    """Handles requests without a log, and answers with bytes or JSON."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status, content=b"", **headers):
        """Answer with some content; underscores in names of headers are hyphens."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": len(data), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def local_server(handler, **state):
    """A running server with its ``url``, and ``state`` as attributes."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.url = f"http://127.0.0.1:{server.server_port}"
    vars(server).update(state)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
