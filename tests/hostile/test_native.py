"""Every native entry point under hostile arguments: an exception with a clear text, or a result."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from . import native
from .calls import hostile, written
from .processes import report

KERNELS = {entry.name: entry for entry in native.kernels()}
FUNCTIONS = {entry.name: entry for entry in native.entries()}
METHODS = native.methods()


def try_out(worker, entry, stress, examples):
    """Make `examples` batches of hostile calls of `entry`; fail with those that went wrong."""

    @settings(
        max_examples=examples * stress,
        deadline=None,
        database=None,
        derandomize=stress == 1,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(st.lists(hostile(entry), min_size=8, max_size=8))
    def run(calls):
        found = worker.findings(calls)
        assert not found, report(found)

    run()


@pytest.mark.parametrize("name", KERNELS)
def test_sound_calls_of_kernels_pass(worker, name):
    for arguments in KERNELS[name].sound:
        call = written(KERNELS[name], arguments)
        call["call"] = f"[{call['call']}].index(None)"
        found = worker.findings([call])
        assert not found, report(found)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(worker, stress, name):
    try_out(worker, KERNELS[name], stress, 20)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_classes(worker, stress, name):
    try_out(worker, FUNCTIONS[name], stress, 6)


def test_methods_of_bare_instances(worker, stress):
    for entry in METHODS:
        try_out(worker, entry, stress, 1)
