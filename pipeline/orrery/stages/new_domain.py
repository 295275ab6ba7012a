"""``orrery new-domain``: write the skeleton of a domain from its PDDL, and its name into params.yaml."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from orrery.catalog import Catalog, Entry
from orrery.config import Settings
from orrery.language.words import environment
from orrery.model import OBJECT, Domain, TypedName, UsageError
from orrery.pddl.interchange import diagnose
from orrery.pddl.read import OutsideSubset, read_domain, text_of
from orrery.pddl.write import write_domain
from orrery.store.files import write_text
from orrery.yaml_text import edited

# Reserved words of Jinja, and the last argument of every macro.
RESERVED = frozenset(
    (
        "and", "caller", "else", "false", "if", "in", "is", "loop", "none", "not", "or", "self", "true",
        "variant",
    )
)  # fmt: skip
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def run(settings: Settings, name: str, pddl: Path) -> list[str]:
    """Write the files of the domain ``name``; return the written files and the next steps.

    Raises:
        UsageError: the name is taken or not valid; nothing is written.
        PddlError: the file cannot be read; the message says whether the reader of full PDDL accepts it.
    """
    entry = Entry(settings.root, name)
    names = Catalog(settings.root).names
    if not NAME.fullmatch(entry.name):
        mend = "use lowercase letters, digits and single hyphens, starting with a letter"
        raise UsageError(f"name '{entry.name}'", "is not a valid domain name", mend)
    if entry.name in names or entry.folder.exists():
        raise UsageError(f"domain '{entry.name}'", "already exists", "choose another name")
    domain = _read(pddl, name)
    files = _files(settings.root, entry, domain)
    if existing := [path for path in files if path.exists()]:
        raise UsageError(str(existing[0]), "already exists", "move it away, or choose another name")
    params = settings.root / "params.yaml"
    files_with_params = files | {params: edited(params, partial(_listed, name=name))}
    for path, content in files_with_params.items():
        write_text(path, content)
    return [
        *(f"wrote {path.relative_to(settings.root)}" for path in files),
        f"added {name} to params.yaml; under by_domain it gets as many problems as most domains there",
        f"next: fill in generators/{name}.py and templates/domains/{name}.j2; `orrery sample {name}` and "
        "`orrery doctor` say what is still wrong, `orrery build` makes the rows",
        f"with problems in domains/{name}/problems/*.pddl, the line TASKS = () is generator enough",
    ]


def _read(path: Path, name: str) -> Domain:
    """Return the domain of the file, under its new name."""
    text = text_of(path)
    try:
        domain = read_domain(text, str(path))
    except OutsideSubset as error:
        raise OutsideSubset(error.where, error.problem, f"{error.mend}; {diagnose(text)}") from error
    return replace(domain, name=name)


def _files(root: Path, entry: Entry, domain: Domain) -> dict[Path, str]:
    """Return the content of each file of the skeleton."""
    skeletons = environment(root / "templates")
    supertypes = {supertype for typed in domain.types for supertype in typed.types}
    types = sorted({typed.name for typed in domain.types} - supertypes) or [OBJECT]

    def filled(template: str) -> str:
        return skeletons.get_template(f"skeleton/{template}").render(
            domain=domain, name=entry.name, types=types, spoken=_spoken
        )

    return {
        entry.folder / "domain.pddl": write_domain(domain),
        entry.folder / "domain.yaml": filled("domain.yaml.j2"),
        entry.generator_file: filled("generator.py.j2"),
        root / "templates" / "domains" / f"{entry.name}.j2": filled("words.j2.j2"),
    }


def _spoken(parameters: Sequence[TypedName]) -> list[str]:
    """Return possible names of a macro's arguments: valid Python names, each once."""
    lines: list[str] = []
    for typed in parameters:
        name = typed.name.lstrip("?").replace("-", "_")
        name = f"x{name}" if name[0].isdigit() else name
        while name in RESERVED or name in lines:
            name += "_"
        lines.append(name)
    return lines


def _listed(content: Any, name: str) -> None:
    """Add ``name`` to params.yaml: to the domains, and to the sizes with the numbers of most domains there.

    The comment below the list of domains stays below it.
    """
    for size in content["sizes"].values():
        counts = list((size.get("by_domain") or {}).values())
        if counts and counts.count(most := max(counts, key=counts.count)) > 1:
            size["by_domain"].setdefault(name, most)
    domains = content["domains"]
    if name in domains:
        return
    below = domains.ca.items.pop(len(domains) - 1, None)
    domains.append(name)
    if below is not None:
        domains.ca.items[len(domains) - 1] = below
