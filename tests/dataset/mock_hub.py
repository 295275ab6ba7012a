"""A Hub on localhost: enough of its HTTP interface for upload_folder and load_dataset, kept in memory.

Small files travel inside the commit, Parquet files by the large-file protocol, as on the real one.
"""

import base64
import hashlib
import json
import re
import socket
from urllib.parse import unquote, urlsplit

from tests.local_server import LocalHandler, local_server

TOKEN = "hf_mock"


class Repo:
    def __init__(self, private):
        self.private = private
        self.main = {}
        self.tags = {}
        self.history = {}  # what was there after each commit
        self.commits = []

    @property
    def head(self):
        return hashlib.sha1(str(len(self.commits)).encode()).hexdigest()

    def files(self, revision):
        return {**self.history, **self.tags}.get(revision, self.main)

    def knows(self, revision):
        return revision in {"main", self.head, *self.history, *self.tags}


class Handler(LocalHandler):
    silent = False

    def route(self):
        method = self.command
        self.body = self.read()
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append(f"{method} {path}")
        if self.server.broken:
            return self.error(self.server.broken, "InternalError")
        if self.server.cut and re.search(self.server.cut[0], f"{method} {path}"):
            return self.cut_off(method, path)
        if method in ("POST", "PUT") and self.headers.get("Authorization") not in (None, f"Bearer {TOKEN}"):
            return self.error(401, "Unauthorized")
        return self.dispatch(method, path)

    do_GET = do_HEAD = do_POST = do_PUT = route

    def cut_off(self, method, path):
        """Closes the connection instead of an answer: before the work is done, or after it."""
        _, after, dead = self.server.cut
        self.server.cut = (".", False, True) if dead else None
        if after:
            self.silent = True
            self.dispatch(method, path)
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def dispatch(self, method, path):
        for wanted, pattern, function in ROUTES:
            if method in wanted and (match := re.fullmatch(pattern, path)):
                return function(self, *match.groups())
        return self.error(404, "EntryNotFound")

    def reply(self, content, status=200, **headers):
        if not self.silent:
            self.answer(status, content, **headers)

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

    def valid(self):
        self.reply({"warnings": [], "errors": []})

    def preupload(self, _name, _revision):
        files = json.loads(self.body)["files"]
        modes = {True: "lfs", False: "regular"}
        modes = [{"path": f["path"], "uploadMode": modes[f["path"].endswith(".parquet")]} for f in files]
        self.reply({"files": [{**mode, "shouldIgnore": False, "oid": None} for mode in modes]})

    def batch(self, _name):
        objects = json.loads(self.body)["objects"]
        # What is there already needs no upload.
        answers = [
            o
            if o["oid"] in self.server.large
            else {**o, "actions": {"upload": {"href": f"{self.server.url}/lfs/{o['oid']}"}}}
            for o in objects
        ]
        self.reply({"transfer": "basic", "objects": answers}, Content_Type="application/vnd.git-lfs+json")

    def large(self, oid):
        assert hashlib.sha256(self.body).hexdigest() == oid
        self.server.large[oid] = self.body
        self.reply({})

    def tag(self, name, revision):
        asked, repo = json.loads(self.body)["tag"], self.repo(name)
        if asked in repo.tags:
            return self.error(409, "Conflict")
        repo.tags[asked] = dict(repo.files(revision))
        return self.reply({})

    def refs(self, name):
        repo = self.repo(name)
        tags = [{"name": n, "ref": f"refs/tags/{n}", "targetCommit": repo.head} for n in repo.tags]
        self.reply({"branches": [], "tags": tags, "converts": []})

    def commit(self, name, _revision):
        repo, files = self.repo(name), self.repo(name).main
        for line in map(json.loads, self.body.decode().splitlines()):
            value = line["value"]
            if line["key"] == "header":
                if value.get("parentCommit") not in (None, repo.head):
                    return self.error(412, "PreconditionFailed")
                repo.commits.append(value["summary"])
            elif line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.large[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        repo.history[repo.head] = dict(files)
        commit = {
            "commitOid": repo.head,
            "commitUrl": f"{self.server.url}/datasets/{name}/commit/{repo.head}",
        }
        self.reply({"success": True, **commit})

    def info(self, name, revision="main"):
        if name not in self.server.repos:
            return self.error(404, "RepoNotFound")
        repo = self.repo(name)
        if not repo.knows(revision):
            return self.error(404, "RevisionNotFound")
        siblings = [{"rfilename": path} for path in sorted(repo.files(revision))]
        return self.reply(
            {
                "id": name,
                "sha": repo.head,
                "private": repo.private,
                "siblings": siblings,
                "tags": [],
            }
        )

    def entry(self, files, path):
        if path in files:
            known = {"type": "file", "path": path, "size": len(files[path]), "oid": git_hash(files[path])}
            if not path.endswith(".parquet"):
                return known
            # Of a large file git has a pointer, of which the hash is another.
            large = {
                "oid": hashlib.sha256(files[path]).hexdigest(),
                "size": len(files[path]),
                "pointerSize": 130,
            }
            return {**known, "oid": git_hash(b"pointer"), "lfs": large}
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
        data = self.server.spoilt.get(path) or repo.files(revision)[path]
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
    ("POST", f"/api/datasets/{NAME}/tag/{REVISION}", Handler.tag),
    ("GET", f"/api/datasets/{NAME}/refs", Handler.refs),
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


def mock_hub():
    """The running server: ``url``, ``repos`` by name, ``asked`` as a list; ``broken`` makes it refuse.

    ``cut`` is a pattern of the request at which the connection is cut, whether the work is done first, and
    whether nothing answers from then on. ``spoilt`` are files that come back with other bytes.
    """
    return local_server(Handler, repos={}, large={}, asked=[], broken=None, cut=None, spoilt={})
