"""Shell completion of names of contributions and plugins; imports no plugin."""

from collections.abc import Iterable
from pathlib import Path

__all__ = ["complete_contribution", "complete_plugin", "complete_target"]


def complete_contribution(incomplete: str) -> list[tuple[str, str]]:
    """Return names of operators, layers and other contributions, each with its kind and plugin.

    Parameters
    ----------
    incomplete : str
        Text to complete; names with a leading underscore are omitted unless it has one.
    """
    # Imported here, because commands import this module even if nothing is completed.
    from ...op.registry.naming import public_name
    from ..reference.listing import contribution_names

    found = {
        public_name(row["name"]): f"{row['kind']}, {row['plugin']}"
        for row in contribution_names(incomplete.startswith("_"))
    }
    return [(name, found[name]) for name in _beginning(incomplete, found)]


def complete_plugin(incomplete: str) -> list[str]:
    """Return names of installed distributions with plugins, and of their entry points.

    Parameters
    ----------
    incomplete : str
    """
    from ... import plugin

    providers = [state.provider for state in plugin.states()]
    names = {provider.name for provider in providers}
    return _beginning(incomplete, names.union(*(provider.modules for provider in providers)))


def complete_target(incomplete: str) -> list[str]:
    """Return the possible targets of `opforge check`: distributions, folders, Python files.

    Parameters
    ----------
    incomplete : str
    """
    typed = incomplete.rpartition("/")[0]
    folder = Path(f"{typed}/" if "/" in incomplete else ".")
    paths = [
        f"{incomplete[: len(typed) + 1] if '/' in incomplete else ''}{entry.name}"
        + ("/" if entry.is_dir() else "")
        for entry in (folder.iterdir() if folder.is_dir() else ())
        if entry.is_dir() or entry.suffix == ".py"
    ]
    return complete_plugin(incomplete) + _beginning(incomplete, paths)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
