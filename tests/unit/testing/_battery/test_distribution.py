import pytest

from opforge import gluon
from opforge.op.declaration import OperatorProp
from opforge.testing import CheckFailedError, check_distribution
from opforge.testing._fake_plugins import FakePlugins


class Sevenfold(OperatorProp):
    """Multiply by seven."""

    name = "sevenfold"
    aliases = ("Sevenfold",)

    def compose(self, F, data):
        return data * 7


class Seven(gluon.HybridBlock):
    """Multiply by seven."""

    def hybrid_forward(self, F, x):
        return F.sevenfold(x)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that makes a fake distribution."""
    plugins = FakePlugins(tmp_path, monkeypatch)
    yield plugins.install
    plugins.close()


def both():
    """Return entry points of the operator, its alias and the layer."""
    operators = {name: "acme_seven:Sevenfold" for name in ("sevenfold", "Sevenfold")}
    return {"operators": operators, "layers": {"Seven": "acme_seven:Seven"}}


SOURCE = f"""
from {__name__} import Seven, Sevenfold
from opforge.plugin_api import hookimpl

@hookimpl
def opforge_operators():
    return [Sevenfold]

@hookimpl
def opforge_layers():
    return [Seven]
"""


def test_operators_and_layers_are_checked_once_each(install):
    install("acme-seven", files={"acme_seven.py": SOURCE}, **both())
    reports = check_distribution("Acme_Seven")
    assert [(r.kind, r.subject) for r in reports] == [
        ("distribution", "acme-seven"),
        ("operator", "sevenfold"),
        ("layer", "Seven"),
    ]
    assert {report.provider for report in reports} == {"acme-seven 1.0"}


def test_selection_and_minimum(install):
    install("acme-seven", files={"acme_seven.py": SOURCE}, **both())
    (report,) = check_distribution("acme-seven", only="sevenfold/forward$")
    assert [outcome.check for outcome in report.outcomes] == ["forward"]
    with pytest.raises(CheckFailedError, match=r"operator sevenfold(.|\n)*layer Seven"):
        check_distribution("acme-seven", minimum=50)


def test_metadata_that_disagrees_fails(install):
    install("acme-seven", operators=both()["operators"], files={"acme_seven.py": SOURCE})
    own = check_distribution("acme-seven", raises=False)[0]
    assert own.status_of("entry points") == "failed"
    assert "layer 'Seven'" in own.message_of("entry points")


def test_a_plugin_that_does_not_load(install):
    install("acme-seven", files={"acme_seven.py": "raise ImportError('libseven.so')"}, **both())
    (own,) = check_distribution("acme-seven", raises=False)
    assert "libseven.so" in own.message_of("loads")


def test_a_distribution_that_is_not_there(install):
    install("acme-seven", operators=[Sevenfold])
    with pytest.raises(LookupError, match=r"'acme-six' provides operators.*acme-seven"):
        check_distribution("acme-six")
