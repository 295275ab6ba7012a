"""Addresses of servers: that of `orrery browse`, and others without secrets."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

PORT = 8017  # default port of `orrery browse`, used in links of the report


def plain_url(url: str) -> str:
    """Return a URL without user, password, query and fragment, any of which may be a secret.

    Libraries write addresses into logs.
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
