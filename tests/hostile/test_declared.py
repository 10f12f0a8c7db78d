"""Every operator of every plugin with arguments that its declaration allows, and others."""

import pytest

from . import declared
from .trial import try_all


@pytest.mark.parametrize("name", declared.names())
def test_operators_of_plugins(worker, stress, name):
    try_all(worker, declared.calls_of(name), stress, 2)
