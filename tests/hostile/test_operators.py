"""Every operator, method and function of arrays under hostile arguments, also while recording."""

import pytest

from . import operators
from .calls import written
from .processes import report
from .trial import try_out

OPERATORS = {entry.name: entry for entry in operators.operators()}
FUNCTIONS = {entry.name: entry for entry in operators.functions()}
METHODS = {entry.name: entry for entry in operators.methods()}


@pytest.mark.parametrize("name", [f"nd.{name}" for name in operators.PLUGINS])
def test_sound_calls_of_plugins_pass(worker, name):
    call = written(OPERATORS[name], OPERATORS[name].sound[0], recorded=True)
    call["call"] = f"sound(lambda: {call['call']})"
    found = worker.findings([call])
    assert not found, report(found)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(worker, stress, name):
    try_out(worker, OPERATORS[name], stress, 3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_nd(worker, stress, name):
    try_out(worker, FUNCTIONS[name], stress, 6)


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_arrays(worker, stress, name):
    try_out(worker, METHODS[name], stress, 3)
