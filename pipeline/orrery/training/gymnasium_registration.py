"""The names of worlds in Gymnasium, such as ``orrery/ferry-v0``. Gymnasium 1 has no plugins."""

from __future__ import annotations

from pathlib import Path

from orrery.catalog import Catalog
from orrery.installation import find_root, needing

ENTRY_POINT = "orrery.training.gymnasium_worlds:GymnasiumWorld"
ANY_DOMAIN = "orrery/world-v0"


def register_gymnasium(root: Path | str | None = None) -> list[str]:
    """Register ``orrery/<domain>-v0`` with Gymnasium for each domain with a generator; return the names.

    Then ``gymnasium.make("orrery/ferry-v0", difficulty="easy", reward="shaped")`` creates environments; the
    arguments are those of ``orrery.world``. ``orrery/world-v0`` takes the argument ``domain`` as well, which
    may be a composed domain such as ``composed-17``.

    Args:
        root: the folder with domains, generators and templates (default: that of the installation).

    Raises:
        ToolMissing: Gymnasium is not installed.
    """
    with needing("register_gymnasium", "pip install gymnasium"):
        from gymnasium import register, registry
    given = {} if root is None else {"root": str(Path(root).absolute())}
    catalog = Catalog(find_root(root))
    domains = [name for name in catalog.names if catalog.entry(name).generator_file.is_file()]
    arguments = {f"orrery/{name}-v0": {"domain": name, **given} for name in domains} | {ANY_DOMAIN: given}
    for name, chosen in arguments.items():
        if name not in registry or registry[name].kwargs != chosen:
            register(name, entry_point=ENTRY_POINT, kwargs=chosen)
    return list(arguments)
