"""A Hub on localhost: enough of its HTTP interface for upload_folder and load_dataset, kept in memory.

Small files travel inside the commit, Parquet files by the large-file protocol, as on the real one.
"""

import base64
import hashlib
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

TOKEN = "hf_mock"


class Repo:
    def __init__(self, private):
        self.private = private
        self.branches = {"main": {}}
        self.commits = []

    @property
    def head(self):
        return hashlib.sha1(str(len(self.commits)).encode()).hexdigest()

    def files(self, revision):
        return self.branches["main" if revision == self.head else revision]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.route("GET")

    def do_HEAD(self):
        self.route("HEAD")

    def do_POST(self):
        self.route("POST")

    def do_PUT(self):
        self.route("PUT")

    def log_message(self, *_):
        pass

    def route(self, method):
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append(f"{method} {path}")
        if self.server.broken:
            return self.error(self.server.broken, "InternalError")
        if method in ("POST", "PUT") and self.headers.get("Authorization") not in (None, f"Bearer {TOKEN}"):
            return self.error(401, "Unauthorized")
        for wanted, pattern, function in ROUTES:
            if method in wanted and (match := re.fullmatch(pattern, path)):
                return function(self, *match.groups())
        return self.error(404, "EntryNotFound")

    def reply(self, content, status=200, **headers):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": len(data), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def error(self, status, code):
        self.reply({"error": code}, status, X_Error_Code=code)

    def repo(self, name):
        return self.server.repos[name]

    def create(self):
        asked = json.loads(self.body)
        name = "/".join(filter(None, [asked.get("organization"), asked["name"]]))
        if name.startswith("forbidden/"):
            return self.error(403, "Forbidden")
        if name in self.server.repos:
            return self.reply({"url": f"{self.server.url}/datasets/{name}"}, 409)
        self.server.repos[name] = Repo(asked.get("private") or asked.get("visibility") == "private")
        return self.reply({"url": f"{self.server.url}/datasets/{name}"})

    def branch(self, name, branch):
        if branch in self.repo(name).branches:
            return self.error(409, "Conflict")
        self.repo(name).branches[branch] = {}
        return self.reply({})

    def valid(self):
        self.reply({"warnings": [], "errors": []})

    def preupload(self, _name, _revision):
        files = json.loads(self.body)["files"]
        modes = {True: "lfs", False: "regular"}
        modes = [{"path": f["path"], "uploadMode": modes[f["path"].endswith(".parquet")]} for f in files]
        self.reply({"files": [{**mode, "shouldIgnore": False, "oid": None} for mode in modes]})

    def batch(self, _name):
        objects = json.loads(self.body)["objects"]
        answers = [
            {**o, "actions": {"upload": {"href": f"{self.server.url}/lfs/{o['oid']}"}}} for o in objects
        ]
        self.reply({"transfer": "basic", "objects": answers}, Content_Type="application/vnd.git-lfs+json")

    def large(self, oid):
        assert hashlib.sha256(self.body).hexdigest() == oid
        self.server.large[oid] = self.body
        self.reply({})

    def commit(self, name, revision):
        repo, files = self.repo(name), self.repo(name).branches[revision]
        for line in map(json.loads, self.body.decode().splitlines()):
            value = line["value"]
            if line["key"] == "header":
                repo.commits.append(value["summary"])
            elif line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.large[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        commit = {
            "commitOid": repo.head,
            "commitUrl": f"{self.server.url}/datasets/{name}/commit/{repo.head}",
        }
        self.reply({"success": True, **commit})

    def info(self, name, revision="main"):
        if name not in self.server.repos:
            return self.error(404, "RepoNotFound")
        repo = self.repo(name)
        siblings = [{"rfilename": path} for path in sorted(repo.files(revision))]
        return self.reply(
            {"id": name, "sha": repo.head, "private": repo.private, "siblings": siblings, "tags": []}
        )

    def entry(self, files, path):
        if path in files:
            return {"type": "file", "path": path, "size": len(files[path]), "oid": git_hash(files[path])}
        return {"type": "directory", "path": path, "size": 0, "oid": "0" * 40}

    def tree(self, name, revision, folder=""):
        files, start = self.repo(name).files(revision), f"{folder.strip('/')}/".lstrip("/")
        below = {path[len(start) :] for path in files if path.startswith(start)}
        if "recursive=true" not in self.path.lower():
            below = {path.split("/")[0] for path in below}
        self.reply([self.entry(files, start + path) for path in sorted(below)])

    def paths_info(self, name, revision):
        files, asked = self.repo(name).files(revision), json.loads(self.body)["paths"]
        known = [p for p in asked if p in files or any(f.startswith(f"{p}/") for f in files)]
        self.reply([self.entry(files, path) for path in known])

    def resolve(self, name, revision, path):
        repo = self.repo(name)
        if path not in repo.files(revision):
            return self.error(404, "EntryNotFound")
        data = repo.files(revision)[path]
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        part = data[int(span[1]) : int(span[2]) + 1] if span else data
        headers = {"ETag": f'"{git_hash(data)}"', "X_Repo_Commit": repo.head, "Accept_Ranges": "bytes"}
        if span:
            headers["Content_Range"] = f"bytes {span[1]}-{int(span[1]) + len(part) - 1}/{len(data)}"
        return self.reply(part, 206 if span else 200, **headers)


def git_hash(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


NAME, REVISION = r"([^/]+/[^/]+)", r"([^/]+)"
ROUTES = [
    ("POST", "/api/repos/create", Handler.create),
    ("POST", "/api/validate-yaml", Handler.valid),
    ("POST", f"/api/datasets/{NAME}/branch/{REVISION}", Handler.branch),
    ("POST", f"/api/datasets/{NAME}/preupload/{REVISION}", Handler.preupload),
    ("POST", f"/datasets/{NAME}.git/info/lfs/objects/batch", Handler.batch),
    ("PUT", "/lfs/([0-9a-f]+)", Handler.large),
    ("POST", f"/api/datasets/{NAME}/commit/{REVISION}", Handler.commit),
    ("POST", f"/api/datasets/{NAME}/paths-info/{REVISION}", Handler.paths_info),
    (("GET", "HEAD"), f"/datasets/{NAME}/resolve/{REVISION}/(.+)", Handler.resolve),
    ("GET", f"/api/datasets/{NAME}/tree/{REVISION}(/.*)?", lambda s, n, r, f: s.tree(n, r, f or "")),
    ("GET", f"/api/datasets/{NAME}/revision/{REVISION}", Handler.info),
    ("GET", f"/api/datasets/{NAME}", Handler.info),
]


@contextmanager
def mock_hub():
    """The running server: ``url``, ``repos`` by name, ``asked`` as a list; ``broken`` makes it refuse."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{server.server_port}"
    server.repos, server.large, server.asked, server.broken = {}, {}, [], None
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
