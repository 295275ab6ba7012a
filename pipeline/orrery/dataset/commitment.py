"""The commitment to a sealed dataset: a small JSON file, published long before the dataset itself.

The root seed of a sealed build is an HMAC of a secret key. The commitment contains hashes of the dataset, of
the parameters and of the seed, and no secret. Later the dataset is compared with it, and so is the key.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from orrery.config import Settings
from orrery.dataset.contents import CARD, MANIFEST, Manifest, file_hash, read_manifest, verify
from orrery.model import OrreryError
from orrery.seeds import seed_commitment
from orrery.store.files import write_text

FORMAT = "orrery-seal/1"
LEAST_BYTES = 32  # of a key: the length of the hash
GET_DATASET = "get the dataset again; this one is not the sealed one"
GET_COMMITMENT = "give a file that `orrery seal` wrote"


@dataclass(frozen=True, kw_only=True)
class Commitment:
    """The values of a commitment; hashes are SHA-256 in hexadecimal.

    ``public_seed`` is the seed that the HMAC of the key covers, ``parameters`` the hash of the other
    parameters, and ``excluded_keys`` that of the keys of the problems that are never drawn.
    """

    code_version: str
    data_version: str
    size: str
    public_seed: int
    seed: str
    parameters: str
    excluded_keys: str
    manifest: str
    card: str
    format: str = FORMAT


def read_key(path: Path) -> bytes:
    """Return the bytes of a key file.

    Raises:
        OrreryError: the file cannot be read, or has fewer than 32 bytes.
    """
    mend = f"make a key of {LEAST_BYTES} random bytes: openssl rand -out {path} {LEAST_BYTES}"
    try:
        key = path.read_bytes()
    except OSError as error:
        raise OrreryError(str(path), f"the key cannot be read: {error.strerror}", mend) from error
    if len(key) < LEAST_BYTES:
        raise OrreryError(str(path), f"a key of {len(key)} bytes is too short", mend)
    return key


def sealed_seed(key: bytes, public_seed: int) -> int:
    """Return the root seed of a sealed build: the HMAC-SHA-256 of the public root seed, as a number."""
    return int.from_bytes(hmac.digest(key, f"{FORMAT} {public_seed}".encode(), "sha256"))


def write_commitment(path: Path, commitment: Commitment) -> None:
    """Write a commitment as JSON."""
    write_text(path, json.dumps(asdict(commitment), indent=1, sort_keys=True) + "\n")


def read_commitment(path: Path) -> Commitment:
    """Return the commitment in a file.

    Raises:
        OrreryError: the file cannot be read, is no commitment, or has a format of another version.
    """
    try:
        values = json.loads(path.read_bytes())
    except OSError as error:
        raise OrreryError(
            str(path), f"the commitment cannot be read: {error.strerror}", GET_COMMITMENT
        ) from error
    except ValueError as error:
        raise OrreryError(str(path), f"is not JSON: {error}", GET_COMMITMENT) from error
    form = values.get("format") if isinstance(values, dict) else None
    if form is None:
        raise OrreryError(str(path), "is not a commitment: it has no format", GET_COMMITMENT)
    if form != FORMAT:
        problem = f"is a commitment of format {form}, and this version reads {FORMAT}"
        raise OrreryError(str(path), problem, "use the version of Orrery that wrote it")
    types = {field.name: int if field.name == "public_seed" else str for field in fields(Commitment)}
    if {name: type(value) for name, value in values.items()} != types:
        raise OrreryError(str(path), f"does not have the values {', '.join(types)}", GET_COMMITMENT)
    return Commitment(**values)


def commit(
    settings: Settings, dataset: Path, *, public_seed: int, parameters: str, excluded_keys: str
) -> Commitment:
    """Return the commitment to a published sealed dataset, given the hashes of some of its inputs."""
    manifest = read_manifest(dataset)
    return Commitment(
        code_version=manifest["generator"],
        data_version=manifest["data_version"],
        size=settings.size_name,
        public_seed=public_seed,
        seed=seed_commitment(settings.seed),
        parameters=parameters,
        excluded_keys=excluded_keys,
        manifest=file_hash(dataset / MANIFEST),
        card=file_hash(dataset / CARD),
    )


def verify_dataset(commitment: Commitment, dataset: Path) -> Manifest:
    """Compare every file of a dataset with a commitment; return the manifest.

    Raises:
        OrreryError: a file is missing, changed, additional or a link; the message names the first one.
    """
    for name, committed in ((MANIFEST, commitment.manifest), (CARD, commitment.card)):
        if not (dataset / name).is_file():
            raise OrreryError(str(dataset / name), "is missing", GET_DATASET)
        if file_hash(dataset / name) != committed:
            raise OrreryError(str(dataset / name), "was changed", GET_DATASET)
    return verify(dataset, mend=GET_DATASET, strict=True)


def verify_key(commitment: Commitment, key: Path) -> None:
    """Raise an OrreryError if the key in a file does not give the seed of a commitment."""
    if seed_commitment(sealed_seed(read_key(key), commitment.public_seed)) != commitment.seed:
        raise OrreryError(str(key), "is not the key of this commitment", "give the key that sealed it")
