"""Publish to a Hugging Face Hub: the public one, or the one named by HF_ENDPOINT.

The content of the Hub is read first. A repository with other content is not touched, a version never gets
other content, and existing files are not sent again. All changes are one commit, which is atomic. Then it
gets a tag, and the files are read back.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from huggingface_hub import HfApi, constants, get_token
from huggingface_hub.errors import (
    EntryNotFoundError,
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from orrery.dataset.contents import (
    CARD,
    FORMAT,
    MANIFEST,
    OF_THE_HUB,
    Manifest,
    file_hash,
    file_hashes,
)
from orrery.dataset.folder import publish_folder, validated
from orrery.dataset.stores import plain_url
from orrery.model import ServiceError, UsageError

# The Hub's client sometimes changes its HTTP library, and its error class derives from that library's.
NETWORK_ERRORS: tuple[type[BaseException], ...] = (*HfHubHTTPError.__bases__, OSError)
# An upload of a large file wraps the error.
BROKEN: tuple[type[BaseException], ...] = (*NETWORK_ERRORS, RuntimeError)
NEW = OF_THE_HUB | {CARD}  # files of a repository that was created manually and is still empty
KIND = "dataset"
NO_WRITING = ("the token has no write permission", "use a token with write permission")
# Problems and their mends, by the status of the Hub's answer.
REFUSALS = {
    401: NO_WRITING,
    403: NO_WRITING,
    404: ("not found", "check the name, and that the token has read permission"),
    412: ("was changed by another user at the same time", "run the same again"),
}


class HubError(ServiceError):
    """A Hub that is unreachable or refuses; the dataset itself is not at fault."""


@dataclass(frozen=True)
class Published:
    """The result or plan of publishing: sent files with bytes, unchanged, removed and verified files."""

    address: str
    tag: str
    sent: tuple[str, ...]
    size: int
    kept: int
    removed: tuple[str, ...]
    read_back: int = 0


@dataclass(frozen=True)
class _HubContents:
    """The current repository: its last commit, its files with their content hashes, and its manifest."""

    head: str
    files: Mapping[str, str]
    manifest: Manifest | None
    tagged: Manifest | None


def publish_hub(
    dataset: Path,
    report: Path,
    repo_id: str,
    *,
    private: bool = False,
    dry_run: bool = False,
) -> Published:
    """Upload the validated ``dataset`` as one commit to the Hub dataset ``repo_id``, and read it back.

    A missing dataset is created (``private`` applies only to a new one). The commit is tagged with the
    version of the dataset, or with the start of its content hash if it has none. Files of earlier versions
    are removed by the same commit. To continue after an interruption, repeat the call: uploaded files stay on
    the Hub. ``dry_run`` only reads. The token is that of the environment or of the login.

    Raises:
        UsageError: the name is malformed, there is no token, the repository has other content, or its
            version has other content there (exit code 2).
        HubError: no connection, no write permission, any other refusal, or other bytes were read back (exit
        code 6).
    """
    manifest = validated(dataset, report)
    endpoint = _endpoint()
    token = get_token()
    if not token and not dry_run:
        raise UsageError(endpoint, "no token", "set HF_TOKEN, or log in with `hf auth login`")
    hub = _Hub(HfApi(endpoint=endpoint, token=token or False), endpoint, repo_id)
    with TemporaryDirectory(prefix="orrery-") as folder, hub.explaining("nothing was changed"):
        copy = Path(folder) / "dataset"
        publish_folder(dataset, report, copy)
        contents = hub.contents(manifest)
        hub.refuse_strangers(contents, manifest)
        plan = hub.plan(copy, contents, manifest)
        if dry_run:
            return plan
        hub.api.create_repo(repo_id, repo_type=KIND, private=private, exist_ok=True)
        commit = hub.commit(copy, plan, manifest, contents)
        with hub.explaining(f"the files are there in commit {commit}, its tag {plan.tag} is not"):
            hub.api.create_tag(repo_id, repo_type=KIND, tag=plan.tag, revision=commit, exist_ok=True)
        return hub.read_back(copy, plan, commit, Path(folder) / "back")


def _endpoint() -> str:
    """Return the address of the Hub; raise a UsageError if it contains a secret."""
    endpoint = os.environ.get("HF_ENDPOINT", constants.ENDPOINT).rstrip("/")
    if (plain := plain_url(endpoint)) != endpoint:
        mend = "leave user, password and query out of HF_ENDPOINT; the token comes from HF_TOKEN"
        raise UsageError(plain, "the address of the Hub contains a secret", mend)
    return endpoint


@dataclass(frozen=True)
class _Hub:
    """One dataset on a Hub, which may not exist yet."""

    api: HfApi
    endpoint: str
    repo_id: str

    @property
    def where(self) -> str:
        """The name of the dataset in messages."""
        return f"Hub dataset '{self.repo_id}' at {self.endpoint}"

    def contents(self, manifest: Manifest) -> _HubContents | None:
        """Return the content of the repository; None if it does not exist."""
        try:
            head = str(self.api.repo_info(self.repo_id, repo_type=KIND).sha)
            entries = self.api.list_repo_tree(self.repo_id, repo_type=KIND, revision=head, recursive=True)
            files = {entry.path: _content_hash(entry) for entry in entries if hasattr(entry, "blob_id")}
            tags = {tag.name for tag in self.api.list_repo_refs(self.repo_id, repo_type=KIND).tags}
        except (RepositoryNotFoundError, RevisionNotFoundError):
            return None
        tag = _tag(manifest)
        return _HubContents(head, files, self._manifest(head), self._manifest(tag) if tag in tags else None)

    def _manifest(self, revision: str) -> Manifest | None:
        """Return the manifest of a revision; None if there is none of ours."""
        with TemporaryDirectory(prefix="orrery-") as folder:
            try:
                path = self.api.hf_hub_download(
                    self.repo_id, MANIFEST, repo_type=KIND, revision=revision, local_dir=folder
                )
                manifest = json.loads(Path(path).read_text(encoding="utf-8"))
            except (EntryNotFoundError, ValueError):
                return None
        return manifest if isinstance(manifest, dict) and manifest.get("format") == FORMAT else None

    def refuse_strangers(self, contents: _HubContents | None, manifest: Manifest) -> None:
        """Raise a UsageError if the repository has other content, or this version with other content."""
        if contents is None:
            return
        if contents.manifest is None and (strangers := sorted(set(contents.files) - NEW)):
            problem = f"contains other files: {strangers[0]}, and no {MANIFEST} of ours"
            raise UsageError(self.where, problem, "name a new or empty repository, or one published before")
        for published in (contents.tagged, contents.manifest):
            if published is None or _tag(published) != _tag(manifest):
                continue
            if published["content_hash"] != manifest["content_hash"]:
                problem = f"version {published['version']} already exists there with other content"
                mend = "give the dataset a new version in params.yaml, and build again"
                raise UsageError(self.where, problem, mend)

    def plan(self, copy: Path, contents: _HubContents | None, manifest: Manifest) -> Published:
        """Return the files that differ from the existing ones."""
        files = contents.files if contents else {}
        ours = sorted(file_hashes(copy))
        sent = tuple(name for name in ours if not _is_same(copy / name, files.get(name)))
        removed = tuple(sorted(set(files) - set(ours) - OF_THE_HUB))
        size = sum((copy / name).stat().st_size for name in sent)
        address = f"{self.endpoint}/datasets/{self.repo_id}"
        return Published(address, _tag(manifest), sent, size, len(ours) - len(sent), removed)

    def commit(self, copy: Path, plan: Published, manifest: Manifest, contents: _HubContents | None) -> str:
        """Commit the differences, if any; return the commit that contains the dataset.

        If the connection breaks, the Hub is asked whether it made the commit.
        """
        if not plan.sent and not plan.removed and contents:
            return contents.head
        try:
            done = self.api.upload_folder(
                repo_id=self.repo_id,
                repo_type=KIND,
                folder_path=copy,
                commit_message=f"{plan.tag}, content {manifest['content_hash'][:12]}",
                allow_patterns=list(plan.sent),
                delete_patterns=list(plan.removed) or None,
                parent_commit=contents.head if contents else None,
            )
            return str(done.oid)
        except BROKEN as error:
            cause = (error.__cause__ or error) if isinstance(error, RuntimeError) else error
            if not isinstance(cause, NETWORK_ERRORS):
                raise
            if isinstance(cause, HfHubHTTPError) and cause.response is not None:
                raise cause from error
            return self._after_a_cut(copy, manifest, cause)

    def _after_a_cut(self, copy: Path, manifest: Manifest, error: BaseException) -> str:
        """Return the commit if it was made before the connection broke.

        Raises:
            HubError: it was not made, or that is unknown.
        """
        try:
            contents = self.contents(manifest)
        except NETWORK_ERRORS:
            problem = (
                f"the connection broke during the upload, and the Hub no longer answers: {_one_line(error)}"
            )
            mend = "it is unknown whether the commit was made; repeat the command, which checks this first"
            raise HubError(self.where, problem, mend) from error
        done = self.plan(copy, contents, manifest)
        if contents and not done.sent and not done.removed:
            return contents.head
        mend = "no commit was made; repeat the command: uploaded files are not sent again"
        raise HubError(
            self.where, f"the connection broke during the upload: {_one_line(error)}", mend
        ) from error

    def read_back(self, copy: Path, plan: Published, commit: str, folder: Path) -> Published:
        """Download every file of a commit and compare it with ours, with one file on the disk at a time.

        Raises:
            HubError: a file differs.
        """
        hashes = file_hashes(copy)
        with self.explaining(f"the files are there in commit {commit}, but were not all read back"):
            for name, value in hashes.items():
                path = Path(
                    self.api.hf_hub_download(
                        self.repo_id, name, repo_type=KIND, revision=commit, local_dir=folder
                    )
                )
                same = file_hash(path) == value
                path.unlink()
                if not same:
                    problem = f"{name} has other bytes in commit {commit}"
                    raise HubError(
                        self.where, problem, "publish again; if the error persists, report it to the Hub"
                    )
        return replace(plan, read_back=len(hashes))

    @contextmanager
    def explaining(self, state: str) -> Iterator[None]:
        """Convert errors of the Hub's client to messages; ``state`` describes the state after an error."""
        try:
            yield
        except HFValidationError as error:
            raise UsageError(f"Hub dataset '{self.repo_id}'", str(error), "give OWNER/NAME") from error
        except HubError:
            raise
        except NETWORK_ERRORS as error:
            raise self._explained(error, state) from error

    def _explained(self, error: BaseException, state: str) -> HubError:
        response = getattr(error, "response", None) if isinstance(error, HfHubHTTPError) else None
        if response is None:
            mend = f"check the network and HF_ENDPOINT; {state}"
            return HubError(self.where, f"no connection: {_one_line(error)}", mend)
        is_lost = isinstance(error, RepositoryNotFoundError | RevisionNotFoundError)
        status = 404 if is_lost and response.status_code not in (401, 403) else response.status_code
        refused = (f"refused with status {status}: {_one_line(error)}", f"try again later; {state}")
        return HubError(self.where, *REFUSALS.get(status, refused))


def _tag(manifest: Manifest) -> str:
    """Return the tag of the dataset's version; of its content if it has none."""
    version = manifest["version"]
    return f"v{version}" if version else f"content-{manifest['content_hash'][:12]}"


def _content_hash(file: Any) -> str:
    """Return the content hash of a file on a Hub: SHA-256 for a large file, otherwise the git hash."""
    return str(file.lfs.sha256) if getattr(file, "lfs", None) else str(file.blob_id)


def _is_same(path: Path, digest: str | None) -> bool:
    """Return whether our file has the content hash of the Hub."""
    if digest is None:
        return False
    if len(digest) == len(hashlib.sha256().hexdigest()):
        return file_hash(path) == digest
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == digest


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
