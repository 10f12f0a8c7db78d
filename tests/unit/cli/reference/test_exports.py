import pytest

from opforge import exporter
from opforge.cli.reference.exports import exports_of
from opforge.op import rules
from opforge.op.declaring.declaration import OperatorProp


class Plain(OperatorProp):
    """Copy the input."""

    name = "exports_plain"


class Composed(Plain):
    """Double the input."""

    name = "exports_composed"

    def compose(self, F, data):
        return data + data


class Kernel(Plain):
    """Apply an elementwise kernel."""

    name = "exports_kernel"
    elementwise_kernel = ("unary", "exp")


class Listing(exporter.Exporter):
    """Knows one kernel."""

    def elementwise_kernels(self):
        return [("unary", "exp")]


@pytest.fixture
def listing(monkeypatch):
    """Install an exporter of this name alone."""
    monkeypatch.setattr(exporter, "names", lambda: ["listing"])
    exporter.register(Listing)


@pytest.mark.usefixtures("listing")
def test_a_rule_a_kernel_and_a_composition():
    assert exports_of(Plain) == {"listing": ""}
    assert exports_of(Composed) == {"listing": "composition"}
    assert exports_of(Kernel) == {"listing": "rule"}
    rules.register("listing", "exports_plain")(lambda prop, call: None)
    assert exports_of(Plain) == {"listing": "rule"}


def test_nothing_is_known_without_exporters(monkeypatch):
    monkeypatch.setattr(exporter, "names", list)
    assert exports_of(Plain) == {}
