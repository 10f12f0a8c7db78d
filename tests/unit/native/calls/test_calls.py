"""The exported kernels: unique, sorted and documented names."""

import inspect
import pkgutil

from opforge.native import calls


def test_names_are_unique_and_sorted():
    assert len(calls.__all__) == len(set(calls.__all__))
    assert sorted(calls.__all__) == calls.__all__
    assert all(callable(getattr(calls, name)) for name in calls.__all__)


def test_every_kernel_has_a_docstring():
    assert all(inspect.getdoc(getattr(calls, name)) for name in calls.__all__)


def test_no_name_hides_a_module():
    assert not set(calls.__all__) & {module.name for module in pkgutil.iter_modules(calls.__path__)}
