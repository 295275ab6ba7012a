"""Compiles all templates once, when the tools are installed, so that no build waits for it."""

from __future__ import annotations

from pathlib import Path

from orrery.language.words import environment

OF_WORDINGS = ("domains", "texts")  # folders of the macros that are called for all their wordings


def compile_templates(templates: Path) -> None:
    """Compile the templates of a folder, for every environment that reads them, where that was not done yet.

    Raises:
        OrreryError: a template is mistaken.
    """
    for path in sorted(templates.rglob("*.j2")):
        name = path.relative_to(templates)
        for all_wordings in (False, True)[: 1 + (name.parts[0] in OF_WORDINGS)]:
            environment(templates, all_wordings).get_template(name.as_posix())
