import pytest
from opforge_tools.testing._battery.checks.check import NotApplicable, Unwise
from opforge_tools.testing._battery.project.metadata import write_metadata
from opforge_tools.testing._battery.project.requirements import check_requirements

from opforge.plugin import PluginState
from opforge.plugin.discovery import Provider

STATE = PluginState(Provider("acme-bound", "1.0"))


@pytest.mark.parametrize("requirement", ["numpy<3", "NumPy~=2.0", "setuptools==77.*; extra == 'x'"])
def test_a_bound_is_warned_of(tmp_path, monkeypatch, requirement):
    write_metadata(tmp_path, "acme-bound", "1.0", {}, requires=[requirement])
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Unwise, match="incompatible") as caught:
        check_requirements(STATE)
    assert requirement.partition(";")[0] in str(caught.value)


def test_requirements_without_upper_bounds_pass(tmp_path, monkeypatch):
    requires = ["numpy>=2.0", "opforge>=0.1,<1", "numba==0.60", "not a requirement"]
    write_metadata(tmp_path, "acme-bound", "1.0", {}, requires=requires)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert check_requirements(STATE) == 4


def test_a_plugin_without_metadata():
    with pytest.raises(NotApplicable):
        check_requirements(STATE)
