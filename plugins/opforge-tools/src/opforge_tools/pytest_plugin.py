"""Fixtures for tests of operators and plugins; pytest finds them by the entry point ``opforge``.

pytest imports this module in every project of an environment that has opforge-tools. It imports
nothing of opforge itself: fixtures load what they need when a test asks for them.
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
    """Undo, when the test ends, what it registered and which plugins it loaded."""
    from opforge_tools.testing._isolation import isolated

    with isolated():
        yield


@pytest.fixture
def opforge_plugins(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator["FakePlugins"]:
    """Give what `only_plugin` and `fake_dist` share; a test need not name it."""
    from opforge_tools.testing._fake_plugins import FakePlugins

    plugins = FakePlugins(tmp_path_factory.mktemp("distributions"), monkeypatch)
    yield plugins
    plugins.close()


@pytest.fixture
def only_plugin(opforge_plugins: "FakePlugins") -> Callable[..., None]:
    """Return ``only_plugin("dist", ...)``: plugins of other distributions are invisible then."""
    return opforge_plugins.only


@pytest.fixture
def fake_dist(opforge_plugins: "FakePlugins") -> Callable[..., Path]:
    """Return ``fake_dist(name, operators=..., layers=..., files=...)``: a distribution for a test.

    Installed plugins are invisible then, but for those of `only_plugin`.
    """
    return opforge_plugins.install


@pytest.fixture
def leaks() -> "LeakCounter":
    """Return a counter of the arrays' memory; ``with leaks:`` fails where arrays stay alive."""
    from opforge_tools.testing._leaks import LeakCounter

    return LeakCounter()
