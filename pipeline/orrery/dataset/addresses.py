"""Addresses of servers: that of `orrery browse`, and others without what they may hold of secrets."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

PORT = 8017  # where `orrery browse` serves unless told otherwise; links of the report lead there


def plain_url(url: str) -> str:
    """Return a URL without user, password, query and fragment, any of which may be a secret.

    Libraries write addresses into logs.
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
