"""tox plugin of this repository: one environment ``plugin-NAME`` for each folder under plugins/.

A folder plugins/opforge-tile gives ``plugin-tile``, which installs the core and that plugin alone
(with the plugins that its tests require) from built wheels and runs the plugin's own tests.
"""

from pathlib import Path

from tox.config.loader.memory import MemoryLoader
from tox.config.sets import ConfigSet
from tox.plugin import impl
from tox.session.state import State

ROOT = Path(__file__).resolve().parent


def _folders() -> dict[str, Path]:
    found = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
    return {f"plugin-{path.name.removeprefix('opforge-')}": path for path in found}


@impl
def tox_extend_envs() -> list[str]:
    """Name the environments."""
    return list(_folders())


@impl
def tox_add_core_config(core_conf: ConfigSet, state: State) -> None:
    """Give each its commands; everything else comes from [testenv] in tox.ini."""
    for name, path in _folders().items():
        folder = path.relative_to(ROOT).as_posix()
        loader = MemoryLoader(
            description=f"tests of {path.name} with no other plugin than they require",
            commands_pre=[f"python scripts/install_plugins.py {folder}"],
            commands=[f"pytest {folder}/tests"],
        )
        state.conf.memory_seed_loaders[name].append(loader)
