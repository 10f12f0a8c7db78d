"""The facade: one name a kernel, all in the uniform form."""

import inspect
import pkgutil

from opforge.native import calls


def test_every_name_is_there_once():
    assert len(calls.__all__) == len(set(calls.__all__))
    assert sorted(calls.__all__) == calls.__all__
    assert all(callable(getattr(calls, name)) for name in calls.__all__)


def test_every_kernel_says_what_it_does():
    assert all(inspect.getdoc(getattr(calls, name)) for name in calls.__all__)


def test_no_name_hides_a_module():
    assert not set(calls.__all__) & {module.name for module in pkgutil.iter_modules(calls.__path__)}
