import sys

import pytest
from opforge_tools.testing._battery.project.source_file import check_file

SOURCE = '''
from opforge import gluon, operator
from opforge.plugin_api import OperatorProp


class Declared(OperatorProp):
    """Multiply by two."""

    name = "declared_in_file"

    def compose(self, F, data):
        return data * 2


@operator.register("registered_in_file")
class Registered(OperatorProp):
    """Multiply by three."""

    def compose(self, F, data):
        return data * 3


class Layer(gluon.HybridBlock):
    """Multiply by four."""

    def hybrid_forward(self, F, x):
        return x * 4


OPERATOR_CHECKS = {"declared_in_file": {"reference": lambda x: 2 * x}}
LAYER_CHECKS = {"Layer": {"samples": [[(2, 3)]]}}
'''


@pytest.fixture
def file(tmp_path, monkeypatch, clean_registry):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "my_operators.py"
    path.write_text(SOURCE)
    yield path
    sys.modules.pop("my_operators", None)


def test_everything_of_the_file_is_checked(file):
    reports = check_file(file)
    assert [(report.kind, report.subject) for report in reports] == [
        ("operator", "registered_in_file"),
        ("operator", "declared_in_file"),
        ("layer", "Layer"),
    ]
    assert all(report.passed for report in reports)
    assert reports[1].status_of("copies") == "passed"


def test_a_file_without_operators(file):
    file.write_text("x = 1\n")
    assert check_file(file) == []
    file.write_text(SOURCE)
    assert [r.subject for r in check_file(file, only="Layer/repr")] == ["Layer"]
