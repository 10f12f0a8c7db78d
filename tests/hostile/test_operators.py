"""Every operator, method and function of arrays with hostile arguments, also while recording."""

import pytest

from opforge.op.registry.registry import lookup

from . import operators
from .calls import written
from .processes import report
from .sequences import SEQUENCES
from .trial import try_out
from .values import ArrayValue as A

OPERATORS = {entry.name: entry for entry in operators.operators()}
FUNCTIONS = {entry.name: entry for entry in operators.functions()}
METHODS = {entry.name: entry for entry in operators.methods()}


def groups(keys):
    """Return each of several items alone, all of them, and all but one of them."""
    return [*([key] for key in keys), keys, *([k for k in keys if k != key] for key in keys)]


@pytest.mark.parametrize("name", [f"nd.{name}" for name in operators.PLUGINS | SEQUENCES])
def test_sound_calls_of_plugins_pass(worker, name):
    recorded = lookup(name.removeprefix("nd.")).prop_class.differentiable
    calls = [written(OPERATORS[name], call, recorded) for call in OPERATORS[name].sound]
    for call in calls:
        call["call"] = f"sound(lambda: {call['call']})"
    found = worker.findings(calls)
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


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_on_arrays_without_axes(worker, name):
    found = worker.findings(
        [
            written(OPERATORS[name], call | dict.fromkeys(without, A(())), recorded)
            for call in OPERATORS[name].sound
            for without in groups([key for key in call if isinstance(call[key], A)])
            for recorded in (False, True)
        ]
    )
    assert not found, report(found)
