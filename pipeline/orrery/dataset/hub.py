"""Publishing to a Hugging Face Hub: the public one, or the one that HF_ENDPOINT names."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

from huggingface_hub import HfApi, constants, get_token
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from orrery.dataset.contents import file_hashes
from orrery.dataset.folder import publish_folder
from orrery.dataset.gate import validated
from orrery.model import OrreryError, UsageError

# The Hub's client changes its HTTP library now and then; its own error derives from that library's.
NETWORK_ERRORS: tuple[type[BaseException], ...] = (*HfHubHTTPError.__bases__, OSError)


class HubError(OrreryError):
    """A Hub that is out of reach or refuses; the dataset itself is fine."""

    code = 4


def publish_hub(
    dataset: Path,
    report: Path,
    repo_id: str,
    *,
    private: bool = False,
    revision: str | None = None,
    token: str | None = None,
) -> str:
    """Upload the validated ``dataset`` as one commit to the Hub dataset ``repo_id`` and return its address.

    A dataset that does not exist is made (``private`` applies to it alone), and so is the branch
    ``revision``. Table files and tasks of earlier versions are removed by the same commit. Without
    ``token``, the one of the environment or of the login is used.

    Raises:
        UsageError: the name is malformed, or there is no token (exit code 2).
        HubError: no connection, no right to write, or any other refusal (exit code 4).
    """
    manifest = validated(dataset, report)
    endpoint = os.environ.get("HF_ENDPOINT", constants.ENDPOINT).rstrip("/")
    if _without_secrets(endpoint) != endpoint:
        mend = "leave user, password and query out of HF_ENDPOINT; the token comes from HF_TOKEN"
        raise UsageError(_without_secrets(endpoint), "the address of the Hub holds a secret", mend)
    token = token or get_token()
    if not token:
        raise UsageError(endpoint, "no token", "set HF_TOKEN, or log in with `hf auth login`")
    api = HfApi(endpoint=endpoint, token=token)
    message = f"Version {manifest['version']}, content {manifest['content_hash'][:12]}"
    try:
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "dataset"
            publish_folder(dataset, report, copy)
            _upload(api, copy, repo_id, private, revision, message)
    except HFValidationError as error:
        raise UsageError(f"Hub dataset '{repo_id}'", str(error), "give OWNER/NAME") from error
    except NETWORK_ERRORS as error:
        raise _explained(error, endpoint, repo_id) from error
    address = f"{endpoint}/datasets/{repo_id}"
    return f"{address}/tree/{revision}" if revision else address


def _without_secrets(url: str) -> str:
    """Return an address without user, password, query and fragment: libraries write it into logs."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _upload(
    api: HfApi, dataset: Path, repo_id: str, private: bool, revision: str | None, message: str
) -> None:
    api.create_repo(repo_id, repo_type="dataset", private=private, exist_ok=True)
    if revision:
        api.create_branch(repo_id, repo_type="dataset", branch=revision, exist_ok=True)
    api.upload_folder(
        repo_id=repo_id,
        repo_type="dataset",
        folder_path=dataset,
        revision=revision,
        commit_message=message,
        allow_patterns=list(file_hashes(dataset)),
        delete_patterns=["data/*", "lm_eval/*"],
    )


def _explained(error: BaseException, endpoint: str, repo_id: str) -> HubError:
    where = f"Hub dataset '{repo_id}' at {endpoint}"
    response = getattr(error, "response", None) if isinstance(error, HfHubHTTPError) else None
    if response is None:
        return HubError(
            where, f"no connection: {error}", "check the network and HF_ENDPOINT; nothing was changed"
        )
    if response.status_code in (401, 403):
        return HubError(where, "the token does not allow it", "use a token with the right to write there")
    if isinstance(error, RepositoryNotFoundError | RevisionNotFoundError) or response.status_code == 404:
        return HubError(where, "not found", "check the name, and that the token may see it")
    first = " ".join(str(error).split())
    return HubError(where, f"refused with status {response.status_code}: {first}", "try again later")
