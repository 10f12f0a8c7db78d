"""Detached tracebacks: same locations, no objects kept alive."""

import gc
import traceback
import weakref

from opforge.native.threads.tracebacks import detach


class Referent:
    """Something to be kept alive."""


def _fail(referent):
    def inner():
        try:
            raise KeyError("first")
        except KeyError as error:
            raise ValueError(type(referent).__name__) from error

    inner()


def _catch(referent):
    try:
        _fail(referent)
    except ValueError as error:
        return error


def _locations(error):
    return [
        (frame.filename, frame.lineno, frame.name, frame.line)
        for frame in traceback.extract_tb(error.__traceback__)
    ]


def test_locations_are_kept_through_causes():
    error = _catch(Referent())
    before = _locations(error), _locations(error.__cause__)
    detach(error)
    assert (_locations(error), _locations(error.__cause__)) == before
    assert [location[2] for location in before[0]] == ["_catch", "_fail", "inner"]
    assert "inner()" in "".join(traceback.format_exception(error))


def test_closures_are_not_kept_alive():
    referent = Referent()
    alive = weakref.ref(referent)
    error = _catch(referent)
    detach(error)
    del referent
    gc.collect()
    assert alive() is None
    assert error.__cause__ is not None


def test_cyclic_causes_terminate():
    first, second = ValueError("first"), KeyError("second")
    first.__context__, second.__context__ = second, first
    detach(first)
    assert first.__traceback__ is None
