"""Every native entry point with hostile arguments: an exception with a clear text, or a result."""

import pytest

from . import native
from .calls import written
from .processes import report
from .trial import try_out

KERNELS = {entry.name: entry for entry in native.kernels()}
FUNCTIONS = {entry.name: entry for entry in native.entries()}
METHODS = native.methods()


@pytest.mark.parametrize("name", KERNELS)
def test_sound_calls_of_kernels_pass(worker, name):
    for arguments in KERNELS[name].sound:
        call = written(KERNELS[name], arguments)
        call["call"] = f"sound(lambda: {call['call']})"
        found = worker.findings([call])
        assert not found, report(found)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(worker, stress, name):
    try_out(worker, KERNELS[name], stress, 8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_classes(worker, stress, name):
    try_out(worker, FUNCTIONS[name], stress, 4)


def test_methods_of_bare_instances(worker, stress):
    for entry in METHODS:
        try_out(worker, entry, stress, 1)
