"""tox plugin of this repository: environments for each folder under plugins/.

A folder plugins/opforge-tile gives ``plugin-tile``, with the Python that runs tox, and one for each
supported Python, as ``plugin-tile-py312``. Each installs the core of the working tree and that
plugin alone (with the plugins that its tests require) from built wheels and runs its own tests.
"""

import tomllib
from pathlib import Path

from tox.config.loader.memory import MemoryLoader
from tox.config.sets import ConfigSet
from tox.plugin import impl
from tox.session.state import State

ROOT = Path(__file__).resolve().parent
_CLASSIFIER = "Programming Language :: Python :: 3."


def _pythons() -> list[str]:
    """Return the factors of the Pythons that the core says it supports."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [text for text in project["classifiers"] if text.startswith(_CLASSIFIER)]
    return [f"py3{text.removeprefix(_CLASSIFIER)}" for text in found]


def _environments() -> dict[str, Path]:
    """Return the folder of each environment's plugin; tox takes the Python from the name."""
    found = {}
    for path in sorted(ROOT.glob("plugins/*/pyproject.toml")):
        name = f"plugin-{path.parent.name.removeprefix('opforge-')}"
        for factor in ("", *_pythons()):
            found["-".join(filter(None, (name, factor)))] = path.parent
    return found


@impl
def tox_extend_envs() -> list[str]:
    """Name the environments."""
    return list(_environments())


@impl
def tox_add_core_config(core_conf: ConfigSet, state: State) -> None:
    """Give each its commands; everything else comes from [testenv] in tox.ini."""
    for name, path in _environments().items():
        folder = path.relative_to(ROOT).as_posix()
        loader = MemoryLoader(
            description=f"tests of {path.name} with no other plugin than they require",
            commands_pre=[f"python scripts/install_plugins.py {folder}"],
            commands=[f"pytest {folder}/tests"],
        )
        state.conf.memory_seed_loaders[name].append(loader)
