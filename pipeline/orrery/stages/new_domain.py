"""``orrery new-domain``: the skeleton of a domain, from its PDDL, and its name in params.yaml."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from orrery.catalog import Catalog, Entry
from orrery.config import Settings
from orrery.language.words import environment
from orrery.model import Domain, OrreryError, TypedName, UsageError
from orrery.pddl.interchange import diagnose
from orrery.pddl.read import OutsideSubset, read_domain, text_of
from orrery.pddl.write import write_domain
from orrery.store.shards import replacing
from orrery.yaml_text import parse_yaml, read_yaml

# Words that Jinja keeps for itself, and the last argument of every macro.
RESERVED = frozenset(
    (
        "and", "caller", "else", "false", "if", "in", "is", "loop", "none", "not", "or", "self", "true",
        "variant",
    )
)  # fmt: skip
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def run(settings: Settings, name: str, pddl: Path) -> list[str]:
    """Write the files of the domain ``name``; return what was written and what is to be done next.

    Raises:
        UsageError: the name is taken or is none; nothing is written.
        PddlError: the file cannot be read; the message says whether the reader of full PDDL accepts it.
    """
    entry = Entry(settings.root, name)
    _check_name(entry, Catalog(settings.root).names)
    domain = _read(pddl, name)
    files = _files(settings.root, entry, domain)
    if there := [path for path in files if path.exists()]:
        raise UsageError(str(there[0]), "exists already", "move it away, or choose another name")
    params = settings.root / "params.yaml"
    listed = _with_name(params, name)
    for path, content in (files | {params: listed}).items():
        with replacing(path) as temporary:
            temporary.write_text(content, encoding="utf-8")
    return [
        *(f"wrote {path.relative_to(settings.root)}" for path in files),
        f"added {name} to params.yaml",
        f"next: fill in generators/{name}.py and templates/domains/{name}.j2; `orrery draw {name}` and "
        "`orrery doctor` say what is still wrong, `orrery build` makes the rows",
        f"with problems in domains/{name}/problems/*.pddl, the line TASKS = () is generator enough",
    ]


def _check_name(entry: Entry, taken: tuple[str, ...]) -> None:
    if not NAME.fullmatch(entry.name):
        mend = "use a-z, 0-9 and single hyphens, a letter first"
        raise UsageError(f"name '{entry.name}'", "is no domain name", mend)
    if entry.name in taken or entry.folder.exists():
        raise UsageError(f"domain '{entry.name}'", "exists already", "choose another name")


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
    types = sorted({typed.name for typed in domain.types} | ({"object"} if not domain.types else set()))

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
    """Return the names that the arguments of a macro can have: names of Python, each once."""
    found: list[str] = []
    for typed in parameters:
        name = typed.name.lstrip("?").replace("-", "_")
        name = f"x{name}" if name[0].isdigit() else name
        while name in RESERVED or name in found:
            name += "_"
        found.append(name)
    return found


def _with_name(params: Path, name: str) -> str:
    """Return the text of params.yaml with ``name`` in the list ``domains``, comments and order kept."""
    text = params.read_text(encoding="utf-8")
    before = read_yaml(params)["domains"]
    if name in before:
        return text
    lines = text.splitlines()
    end = start = next((i for i, line in enumerate(lines) if line.startswith("domains:")), len(lines) - 1)
    while end + 1 < len(lines) and lines[end + 1].lstrip().startswith("- "):
        end += 1
    indent = re.sub(r"\S.*", "", lines[end]) if end > start else "  "
    after = "\n".join([*lines[: end + 1], f"{indent}- {name}", *lines[end + 1 :]]) + "\n"
    if _domains(after) != [*before, name]:
        problem = f"cannot add '{name}' to the list"
        raise UsageError(f"{params}: domains", problem, "write the list with a line '- name' for each")
    return after


def _domains(text: str) -> object:
    """Return the value of ``domains`` in a text of params.yaml; None where it is no YAML."""
    try:
        return parse_yaml(text, "params.yaml")["domains"]
    except OrreryError:
        return None
