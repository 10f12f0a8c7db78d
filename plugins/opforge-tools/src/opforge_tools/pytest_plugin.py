"""Fixtures for tests of operators and plugins; registered by the entry point ``opforge``.

pytest imports this module in every project of an environment with opforge-tools, so it does not
import opforge; fixtures import what they need when a test requests them.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from opforge_tools.testing._fake_plugins import FakePlugins
    from opforge_tools.testing._leaks import LeakCounter

__all__ = ["clean_registry", "fake_dist", "leaks", "only_plugin", "opforge_plugins"]


@pytest.fixture
def clean_registry() -> Iterator[None]:
    """Unregister at the end of a test everything that it registered or loaded."""
    from opforge_tools.testing._isolation import isolated

    with isolated():
        yield


@pytest.fixture
def opforge_plugins(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator["FakePlugins"]:
    """Return the environment shared by `only_plugin` and `fake_dist`; tests need not request it."""
    from opforge_tools.testing._fake_plugins import FakePlugins

    plugins = FakePlugins(tmp_path_factory.mktemp("distributions"), monkeypatch)
    yield plugins
    plugins.close()


@pytest.fixture
def only_plugin(opforge_plugins: "FakePlugins") -> Callable[..., None]:
    """Return ``only_plugin("dist", ...)``: hide the plugins of all other distributions."""
    return opforge_plugins.only


@pytest.fixture
def fake_dist(opforge_plugins: "FakePlugins") -> Callable[..., Path]:
    """Return ``fake_dist(name, operators=..., layers=..., files=...)``: create a fake distribution.

    Installed plugins are hidden, except those of `only_plugin`.
    """
    return opforge_plugins.install


@pytest.fixture
def leaks() -> "LeakCounter":
    """Return a counter of the arrays' memory; ``with leaks:`` fails if arrays stay alive."""
    from opforge_tools.testing._leaks import LeakCounter

    return LeakCounter()
