"""Views of the source tree for the architecture tests."""

import pytest

from .sources import ROOT, Source, import_graph, sources_under

CORE = ROOT / "core"


@pytest.fixture(scope="session")
def core_sources() -> list[Source]:
    """Return every source file of the core, Python and Cython."""
    found = sources_under(CORE / "opforge", CORE)
    assert found, "no sources found: the tests must run in a checkout"
    return found


@pytest.fixture(scope="session")
def plugin_sources() -> list[Source]:
    """Return every Python file that a plugin installs."""
    found = []
    for src in sorted(ROOT.glob("plugins/*/src")):
        found += [Source(path, src) for path in sorted(src.rglob("*.py"))]
    return found


@pytest.fixture(scope="session")
def known_modules(core_sources: list[Source]) -> frozenset[str]:
    """Return the names of all modules of the core."""
    return frozenset(source.module for source in core_sources)


@pytest.fixture(scope="session")
def core_graph(core_sources: list[Source]) -> dict[str, set[str]]:
    """Return the imports between modules of the core."""
    return import_graph(core_sources)
