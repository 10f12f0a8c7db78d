"""Detached tracebacks: same locations, no objects kept alive."""

import gc
import traceback
import weakref

from opforge.native.threads.tracebacks import detach


class Thing:
    """Something to be kept alive."""


def _fail(thing):
    def inner():
        try:
            raise KeyError("first")
        except KeyError as error:
            raise ValueError(type(thing).__name__) from error

    inner()


def _caught(thing):
    try:
        _fail(thing)
    except ValueError as error:
        return error


def _places(error):
    return [
        (frame.filename, frame.lineno, frame.name, frame.line)
        for frame in traceback.extract_tb(error.__traceback__)
    ]


def test_locations_are_kept_through_causes():
    error = _caught(Thing())
    before = _places(error), _places(error.__cause__)
    detach(error)
    assert (_places(error), _places(error.__cause__)) == before
    assert [place[2] for place in before[0]] == ["_caught", "_fail", "inner"]
    assert "inner()" in "".join(traceback.format_exception(error))


def test_closures_are_not_kept_alive():
    thing = Thing()
    alive = weakref.ref(thing)
    error = _caught(thing)
    detach(error)
    del thing
    gc.collect()
    assert alive() is None
    assert error.__cause__ is not None


def test_cyclic_causes_terminate():
    first, second = ValueError("first"), KeyError("second")
    first.__context__, second.__context__ = second, first
    detach(first)
    assert first.__traceback__ is None
