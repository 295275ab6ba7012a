"""A store with the protocol of S3, as far as s3fs needs it: one bucket in memory, on localhost."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from tests.local_server import LocalHandler, local_server

BUCKET = "bucket"


class _Handler(LocalHandler):
    wbufsize = 2**16
    disable_nagle_algorithm = True

    def handle_expect_100(self):
        going_on = super().handle_expect_100()
        self.wfile.flush()
        return going_on

    def do_GET(self):
        asked = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        if self._key() is None:
            return self._list(asked.get("prefix", [""])[0], asked.get("delimiter", [""])[0])
        return self._get()

    def do_HEAD(self):
        if self._key() is None:
            return self.answer(200)
        return self._get()

    def do_PUT(self):
        body = self._body()
        if self.server.allow is not None:
            if self.server.allow == 0:
                return self._fail(403, "AccessDenied")
            self.server.allow -= 1
        self.server.objects[self._key()] = body
        self.server.put.append(self._key())
        return self.answer(200, ETag=_etag(body))

    def do_DELETE(self):
        self.server.objects.pop(self._key(), None)
        self.answer(204)

    def do_POST(self):
        """Several at once are deleted by a list of their keys."""
        for key in re.findall(rb"<Key>(.*?)</Key>", self._body()):
            self.server.objects.pop(key.decode(), None)
        self.answer(200, b"<DeleteResult/>")

    def _key(self):
        _, bucket, *key = unquote(urlsplit(self.path).path).split("/", 2)
        assert bucket == BUCKET, self.path
        return key[0] if key and key[0] else None

    def _body(self):
        """Some clients send in chunks, each after a line with its length, and sums behind them."""
        body = self.read()
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return body
        whole, rest = b"", body
        while (length := int(rest.partition(b"\r\n")[0].partition(b";")[0], 16)) > 0:
            rest = rest.partition(b"\r\n")[2]
            whole, rest = whole + rest[:length], rest[length + 2 :]
        return whole

    def _get(self):
        body = self.server.objects.get(self._key())
        if body is None:
            return self._fail(404, "NoSuchKey")
        about = {"ETag": _etag(body), "Last_Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
        if asked := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first, last = int(asked[1]), min(int(asked[2] or len(body)), len(body) - 1)
            about["Content_Range"] = f"bytes {first}-{last}/{len(body)}"
            return self.answer(206, body[first : last + 1], **about)
        return self.answer(200, body, **about)

    def _list(self, prefix, delimiter):
        found, folders = [], set()
        for key, body in sorted(self.server.objects.items()):
            if key.startswith(prefix):
                head, cut, _ = key.removeprefix(prefix).partition(delimiter) if delimiter else (key, "", "")
                if cut:
                    folders.add(prefix + head + cut)
                else:
                    found.append((key, body))
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(body)}</Size><ETag>{_etag(body)}</ETag>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified><StorageClass>STANDARD</StorageClass></Contents>"
            for key, body in found
        )
        common = "".join(
            f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in sorted(folders)
        )
        head = f"<Name>{BUCKET}</Name><IsTruncated>false</IsTruncated><KeyCount>{len(found)}</KeyCount>"
        self.answer(200, f"<ListBucketResult>{head}{contents}{common}</ListBucketResult>".encode())

    def _fail(self, status, code):
        self.answer(status, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode())


def _etag(body):
    return f'"{hashlib.md5(body).hexdigest()}"'


def fake_s3():
    """A running store: ``objects`` by key, the keys ``put`` in order, and the puts left to ``allow``."""
    return local_server(_Handler, objects={}, put=[], allow=None)
