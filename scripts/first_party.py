"""Print which plugin of this repository provides which name; `--write` stores the list.

The core reads the stored list for "not found" errors, to name the distribution to install. It is
generated from the entry points in the ``pyproject.toml`` of each plugin.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stored_list import print_or_store

from opforge.op.registry import catalogue
from opforge.op.registry.kinds import KINDS
from opforge.op.registry.naming import NAMESPACES
from opforge.plugin.discovery import COMMANDS

PLUGINS = Path(__file__).resolve().parent.parent / "plugins"
LIST = Path(str(catalogue.__file__)).with_name(catalogue.STORED)

#: Noun -> entry point group; rules are no names that programs use.
GROUPS = {noun: kind.group for noun, kind in KINDS.items() if noun != "rule"}
GROUPS["command"] = COMMANDS


def text() -> str:
    """Return the list in its stored form: noun -> distribution -> names."""
    projects = sorted(_projects(), key=lambda project: str(project["name"]))
    table: dict[str, dict[str, list[str]]] = {}
    for noun, group in GROUPS.items():
        for project in projects:
            names = [name for name in project["entry-points"].get(group, {}) if is_listed(name)]
            if names:
                table.setdefault(noun, {})[project["name"]] = sorted(names)
    return json.dumps(table, indent=1) + "\n"


def is_listed(name: str) -> bool:
    """Return whether users call a name, including operators such as nd.linalg.x."""
    return not name.startswith("_") or name.startswith(NAMESPACES)


def _projects() -> Iterator[dict[str, Any]]:
    for file in PLUGINS.glob("*/pyproject.toml"):
        yield tomllib.loads(file.read_text(encoding="utf-8"))["project"]


if __name__ == "__main__":
    print_or_store(text(), LIST)
