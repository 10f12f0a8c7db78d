"""The fixtures, as somebody else's tests use them: in a pytest of their own."""

import pytest

pytest_plugins = ["pytester"]

TESTS = '''
import pytest
from opforge import nd, operator, plugin
from opforge.base.errors import OperatorNotFoundError
from opforge.op.registry import registry
from opforge.plugin_api import OperatorProp


class Plus(OperatorProp):
    """Add one."""
    name = "plus_of_pytester"
    def compose(self, F, data):
        return data + 1


def test_registered(clean_registry):
    operator.register("plus_of_pytester")(Plus)
    assert nd.plus_of_pytester(nd.zeros(1)).asscalar() == 1


def test_undone():
    with pytest.raises(OperatorNotFoundError):
        registry.lookup("plus_of_pytester")


def test_fake(fake_dist, only_plugin):
    only_plugin()
    fake_dist("acme-plus", operators=[Plus])
    assert nd.plus_of_pytester(nd.zeros(1)).asscalar() == 1
    assert [s.provider.name for s in plugin.states() if s.state != "disabled"] == ["acme-plus"]


def test_undone_again():
    assert "acme-plus" not in [state.provider.name for state in plugin.states()]


def test_no_leak(leaks):
    with leaks:
        nd.zeros(3) + 1


KEPT = []


def test_leak(leaks):
    with leaks:
        KEPT.append(nd.zeros(3))
'''


@pytest.fixture
def run(pytester, monkeypatch):
    """Return a function that runs pytest with the plugin alone, in a process of its own."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(source):
        pytester.makepyfile(source)
        arguments = ("-p", "opforge_tools.pytest_plugin", "-p", "no:cacheprovider")
        return pytester.runpytest_subprocess(*arguments)

    return run


def test_fixtures(run):
    result = run(TESTS)
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: 1 buffers of arrays*outlive the block*"])


def test_a_project_that_does_not_use_it_pays_nothing(run):
    result = run(
        "import sys\n"
        "def test_loaded():\n"
        "    early = {'numpy', 'opforge.ndarray', 'opforge.native.memory.buffer'}\n"
        "    assert not early & set(sys.modules)\n"
    )
    result.assert_outcomes(passed=1)


def test_opforge_is_not_rewritten(pytester):
    """Pytest rewrites the assertions of all modules of a distribution that has a pytest plugin."""
    pytester.makepyfile(
        "import opforge.testing, opforge.ndarray.ndarray, opforge.gluon.block\n"
        "import sys\n"
        "def test_loaders():\n"
        "    loaders = {module.__name__: type(module.__spec__.loader).__name__\n"
        "               for module in sys.modules.values()\n"
        "               if module.__name__.partition('.')[0] == 'opforge' and module.__spec__}\n"
        "    assert len(loaders) > 20\n"
        "    assert 'AssertionRewritingHook' not in loaders.values()\n"
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
