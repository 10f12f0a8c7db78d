"""The facade: one name a kernel, all in the uniform form."""

import inspect

from opforge.native import calls


def test_every_name_is_there_once():
    assert len(calls.__all__) == len(set(calls.__all__))
    assert sorted(calls.__all__) == calls.__all__
    assert all(callable(getattr(calls, name)) for name in calls.__all__)


def test_every_kernel_says_what_it_does():
    assert all(inspect.getdoc(getattr(calls, name)) for name in calls.__all__)
