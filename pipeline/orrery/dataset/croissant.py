"""``croissant.json``: the dataset in the vocabulary Croissant 1.0, which search engines and loaders read.

Every file of a table is listed with its hash. Every table and split is a record set whose fields are
the columns, described as on the card. See https://docs.mlcommons.org/croissant/docs/croissant-spec.html.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from orrery.dataset.contents import file_hash
from orrery.store import kinds, shards
from orrery.store.files import replacing

FILE = "croissant.json"
SPEC = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def write_croissant(dataset: Path, schemas: Mapping[str, Any], *, version: str, citation: str) -> None:
    """Write the description of the tables and views in ``dataset``; ``schemas`` has their columns by name."""
    files: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    for folder in (shards.DATA, shards.VIEWS):
        for name, by_split in shards.splits(dataset, folder).items():
            described = False  # a column is described once, in the first split
            for split, paths in by_split.items():
                for number, path in enumerate(paths):
                    files.append(_file(dataset, path))
                    part = f"-{number}" if len(paths) > 1 else ""
                    record_set = _records(
                        f"{name}_{split}{part}", split, schemas[name], files[-1]["@id"], described
                    )
                    records.append(record_set)
                    described = True
    content = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": SPEC,
        "name": "Orrery",
        "description": "Planning problems in English and PDDL, questions on states and plans, plans and "
        "domains to be written; every answer proven.",
        "license": "https://spdx.org/licenses/MIT.html",
        "url": "https://huggingface.co/datasets",
        "version": version,
        "citeAs": citation.strip(),
        "keywords": ["planning", "PDDL", "reasoning", "benchmark"],
        "inLanguage": "en",
        "distribution": files,
        "recordSet": records,
    }
    with replacing(dataset / FILE) as path:
        path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def _file(dataset: Path, path: Path) -> dict[str, Any]:
    name = path.relative_to(dataset).as_posix()
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": PARQUET,
        "sha256": file_hash(path),
    }


def _records(name: str, split: str, schema: Any, file: str, described: bool) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{kinds.description(schema)}; split {split}.",
        "field": [_field(name, field, file, described) for field in schema],
    }


def _field(records: str, field: Any, file: str, described: bool) -> dict[str, Any]:
    """Return a column as a field. Lists are repeated values; records have subfields."""
    name = f"{records}/{field.name}"
    record = {"@type": "cr:Field", "@id": name, "name": field.name}
    record |= {} if described else {"description": kinds.description(field)}
    kind, repeated = _within_lists(field.type)
    record |= {"repeated": True} if repeated else {}
    if not pa.types.is_struct(kind):
        return record | {"dataType": _type(kind), "source": _source(file, field.name)}
    inner = [kind.field(number) for number in range(kind.num_fields)]
    return record | {"subField": [_part(name, field.name, subfield, file) for subfield in inner]}


def _part(parent: str, column: str, field: Any, file: str) -> dict[str, Any]:
    """Return a part of the records in a column as a field."""
    kind, repeated = _within_lists(field.type)
    source = {**_source(file, column), "transform": {"jsonPath": field.name}}
    record = {"@type": "cr:Field", "@id": f"{parent}/{field.name}", "name": field.name}
    return record | ({"repeated": True} if repeated else {}) | {"dataType": _type(kind), "source": source}


def _source(file: str, column: str) -> dict[str, Any]:
    return {"fileObject": {"@id": file}, "extract": {"column": column}}


def _within_lists(kind: Any) -> tuple[Any, bool]:
    """Return the element type of a list, or of nested lists, and whether the type is a list."""
    repeated = False
    while pa.types.is_list(kind):
        kind, repeated = kind.value_type, True
    return kind, repeated


def _type(kind: Any) -> str:
    """Return the name of a value type."""
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
