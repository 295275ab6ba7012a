"""The templates of the vocabularies."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import cast

from jinja2 import TemplateError

from orrery.language.words import environment
from orrery.model import OrreryError

FOLDER = "vocabularies"


def load(templates: Path, name: str) -> ModuleType:
    """Return what a template of the vocabularies defines."""
    file = f"{FOLDER}/{name}.j2"
    try:
        return cast(ModuleType, environment(templates).get_template(file).module)
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        place = f"{templates / file}{f':{line}' if line else ''}"
        raise OrreryError(place, str(error), "correct or restore the template") from error
