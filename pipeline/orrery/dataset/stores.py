"""Datasets in stores that fsspec supports, for example ``s3://bucket/folder``: publishing, and reading.

A store cannot move a folder atomically, so the manifest is written last: without it there is no dataset. A
note file lists the files and their content, so that an interrupted upload can be continued.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from orrery.dataset.contents import CARD, MANIFEST, file_hash, file_hashes, hash_of, read_manifest
from orrery.dataset.folder import publish_folder
from orrery.installation import install
from orrery.model import OrreryError, ServiceError, ToolMissing, UsageError
from orrery.store.files import replacing

NOTE = "publishing.json"
CACHE = "XDG_CACHE_HOME"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class StoreError(ServiceError):
    """A store that is unreachable or refuses; the dataset itself is not at fault."""


def is_address(text: Path | str) -> bool:
    """Return whether a text is the address of a store, not the path of a folder."""
    return isinstance(text, str) and _ADDRESS.match(text) is not None


def publish_store(dataset: Path, report: Path, address: str) -> int:
    """Copy the validated ``dataset`` to a store, file by file, and return the number of files sent.

    Readers see a complete dataset or none: the previous one disappears before the first file is sent, and
    the new one appears with the last file. Files of an interrupted run are not sent again. Each file is read
    back and compared. ``report`` is the folder with the verdict.

    Raises:
        UsageError: the folder in the store has other content than a dataset of ours.
        StoreError: the store is unreachable or refuses.
        ToolMissing: the package for this kind of store is not installed.
    """
    with TemporaryDirectory(prefix="orrery-") as name, _store(address) as store:
        copy = Path(name) / "dataset"
        publish_folder(dataset, report, copy)
        return _publish(store, copy)


def fetched(address: str, wanted: Sequence[str]) -> Path:
    """Return a folder with the manifest of a dataset in a store, and its files that match ``wanted``.

    The folder is in the user's cache, named by the content of the dataset. Files are compared with the
    manifest.

    Raises:
        StoreError: there is no finished dataset, or the store is unreachable.
        OrreryError: the manifest is inconsistent or names a file outside the dataset, or a file has
            other content than listed.
        ToolMissing: the package for this kind of store is not installed.
    """
    with _store(address) as store, TemporaryDirectory(prefix="orrery-") as name:
        new = Path(name) / MANIFEST
        try:
            store.files.get_file(MANIFEST, str(new))
        except FileNotFoundError:
            raise StoreError(
                store.shown, "contains no finished dataset", "publish it again, or correct the address"
            ) from None
        manifest = read_manifest(new.parent)
        files = _listed(manifest, store.shown)
        folder = _cache() / hash_of(files)
        for file in files:
            if any(fnmatch(file, pattern) for pattern in wanted) and not (folder / file).is_file():
                _fetch(store, folder, file, files)
        with replacing(folder / MANIFEST) as temporary:
            temporary.write_bytes(new.read_bytes())
        return folder


def tables_named(address: str, sql: str) -> list[str]:
    """Return patterns for the files that a statement may need, of a dataset in a store."""
    manifest = read_manifest(fetched(address, []))
    names = [
        *(f"data/{name}" for name in manifest["rows"]),
        *(f"views/{name}" for name in manifest.get("views", ())),
    ]
    named = [f"{place}/*" for place in names if place.partition("/")[2].lower() in sql.lower()]
    return named or ["data/*"]


def _listed(manifest: Any, shown: str) -> dict[str, str]:
    """Return the files in an untrusted manifest, with their hashes.

    Raises:
        OrreryError: they do not have the content hash, or a file would be written to another folder.
    """
    address, mend = f"{shown}/{MANIFEST}", "publish the dataset again"
    files = manifest.get("files")
    if not isinstance(files, dict) or hash_of(files) != manifest.get("content_hash"):
        raise OrreryError(address, "has another content hash than its listed files", mend)
    for name in files:
        # A colon names a drive on Windows.
        if re.search(r"[\\:\0]", name) or not {"", ".", ".."}.isdisjoint(name.split("/")):
            raise OrreryError(address, f"names a file outside the dataset: {name!r:.80}", mend)
    return files


def _fetch(store: _Store, folder: Path, name: str, files: Mapping[str, str]) -> None:
    with replacing(folder / name) as temporary:
        store.files.get_file(name, str(temporary))
        if file_hash(temporary) != files[name]:
            problem = "is not the file that the manifest lists"
            raise OrreryError(f"{store.shown}/{name}", problem, "publish the dataset again")


def _cache() -> Path:
    return Path(os.environ.get(CACHE) or Path.home() / ".cache") / "orrery" / "datasets"


class _Store(NamedTuple):
    """A folder of a store, by fsspec, and its address without secrets; file names are relative to it."""

    files: Any
    shown: str

    def read(self, name: str) -> Any:
        """Return the JSON in a small file; None if it does not exist."""
        try:
            return json.loads(self.files.cat_file(name))
        except (FileNotFoundError, ValueError):
            return None

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        with suppress(FileNotFoundError):
            self.files.rm_file(name)


@contextmanager
def _store(address: str) -> Iterator[_Store]:
    """Yield a folder of a store. Any error of the store is converted to ours, without passwords."""
    shown = _without_secrets(address, address).rstrip("/")
    try:
        import fsspec
        from fsspec.implementations.dirfs import DirFileSystem
    except ModuleNotFoundError as error:
        raise ToolMissing(f"store {shown}", "requires the package fsspec", install("s3")) from error
    try:
        files, root = fsspec.core.url_to_fs(address)
        yield _Store(DirFileSystem(root.rstrip("/"), files), shown)
    except OrreryError:
        raise
    except ImportError as error:
        raise ToolMissing(f"store {shown}", str(error), install("s3")) from error
    except Exception as error:  # each kind of store has its own exception classes
        if isinstance(error, OSError) and error.filename and Path(error.filename).is_absolute():
            raise  # an error of this machine, for example a full disk
        reason = " ".join(_without_secrets(str(error), address).split()) or type(error).__name__
        mend = "check the address and the credentials; repeat the command to continue"
        raise StoreError(f"store {shown}", reason, mend) from error


def plain_url(url: str) -> str:
    """Return a URL without user, password, query and fragment, any of which may be a secret.

    Libraries write addresses into logs.
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _without_secrets(text: str, address: str) -> str:
    """Return a text without the user, password and query of an address."""
    head, mark, query = address.partition("?")
    user = re.search(r"//([^/@]*@)", head)
    for secret in (mark + query, query, user[1] if user else ""):
        text = text.replace(secret, "") if secret else text
    return text


def _folders(names: Iterable[str]) -> set[str]:
    """Return the top-level folders of these files in a dataset."""
    return {name.partition("/")[0] for name in names if "/" in name}


def _publish(store: _Store, copy: Path) -> int:
    """Send missing files, remove superfluous ones, then send the manifest; count the sent files.

    The note lists the files that are stored, and the folders of this version and of earlier ones.
    """
    files, hashes, manifest = store.files, file_hashes(copy), read_manifest(copy)
    files.invalidate_cache()
    sizes = {name: entry["size"] for name, entry in files.find("", detail=True).items()}
    note, published = store.read(NOTE), store.read(MANIFEST)
    is_ours = isinstance(note, dict) or (isinstance(published, dict) and "content_hash" in published)
    if sizes and not is_ours:
        mend = "name a new or empty folder, or one published before"
        raise UsageError(store.shown, "contains other files", mend)
    listings = [listing for listing in (note, published) if isinstance(listing, dict)]
    listed = listings[0].get("files", {}) if listings else {}
    if published == manifest and not isinstance(note, dict):
        listed |= {name: hashes[name] for name in (MANIFEST, CARD)}
    done = {
        name: value
        for name, value in hashes.items()
        if listed.get(name) == value and sizes.get(name) == (copy / name).stat().st_size
    }
    folders = _folders(hashes)
    for listing in listings:
        folders |= _folders(listing.get("files", ())) | set(listing.get("folders", ()))
    leftovers = [name for name in sizes if name not in hashes and _folders([name]) & folders]
    missing = [name for name in hashes if name not in done and name != MANIFEST]
    if not missing and not leftovers and MANIFEST in done:
        return 0

    def write_note() -> None:
        note = {"content_hash": manifest["content_hash"], "files": done, "folders": sorted(folders)}
        files.makedirs("", exist_ok=True)
        files.pipe_file(NOTE, json.dumps(note).encode())

    write_note()
    store.remove(MANIFEST)
    for name in missing:
        _send(store, copy, name, hashes[name])
        done[name] = hashes[name]
        write_note()
    for name in leftovers:
        store.remove(name)
    _send(store, copy, MANIFEST, file_hash(copy / MANIFEST))
    store.remove(NOTE)
    return len(missing) + 1


def _send(store: _Store, copy: Path, name: str, content_hash: str) -> None:
    """Send a file, and compare the hash of the stored content."""
    files, back = store.files, copy.parent / "back"
    files.makedirs(name.rpartition("/")[0], exist_ok=True)
    files.put_file(str(copy / name), name)
    files.get_file(name, str(back))
    if file_hash(back) != content_hash:
        raise StoreError(f"{store.shown}/{name}", "differs from what was sent", "publish again")
    back.unlink()
