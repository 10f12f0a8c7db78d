import pickle
import traceback

import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base import errors


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_an_opforge_error(name):
    assert issubclass(getattr(errors, name), errors.OpforgeError)


def test_builtin_bases():
    assert errors.MXNetError is errors.OpforgeError
    assert issubclass(errors.ShapeError, ValueError)
    assert issubclass(errors.DTypeError, TypeError)
    assert issubclass(errors.IndexRangeError, IndexError)
    assert issubclass(errors.OperatorNotFoundError, AttributeError)


def test_operator_error_carries_the_facts():
    error = errors.OperatorError("text", operator="tile", provider="acme 1.0")
    assert (str(error), error.operator, error.provider) == ("text", "tile", "acme 1.0")


def _backward_of_what_was_not_recorded():
    nd.ones(2).backward()


def _write_while_recording():
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        x += 1


@pytest.mark.parametrize(
    "call, own",
    [
        (lambda: nd.ones((2, 3)) + nd.ones((4, 5)), errors.ShapeError),
        (lambda: nd.ones(2) + nd.ones(2, dtype="float64"), errors.DTypeError),
        (lambda: nd.sum(nd.ones(2), foo=1), errors.AttributeValueError),
        (lambda: nd.zeros(2, ctx=mx.gpu()), errors.ContextError),
        (lambda: nd.take(nd.ones(2), nd.array([9]), mode="raise"), errors.IndexRangeError),
        (lambda: nd.Custom(nd.ones(2), op_type="nope"), errors.OperatorNotFoundError),
        (lambda: mx.sym.load_json("junk"), errors.SymbolFileError),
        (lambda: nd.load("missing.params"), errors.MissingFileError),
        (_backward_of_what_was_not_recorded, errors.OpforgeError),
        (_write_while_recording, errors.OpforgeError),
    ],
)
def test_mxnet_errors_match_their_class_and_its_bases(call, own):
    with pytest.raises(mx.base.MXNetError) as caught:
        call()
    error = caught.value
    assert type(error) is own
    assert type(error).__name__ == "MXNetError"
    assert traceback.format_exception_only(error)[0].startswith(
        f"opforge.base.errors.{own.__qualname__}: "
    )


@pytest.mark.parametrize("name", errors.__all__)
def test_classes_are_found_by_their_own_names(name):
    cls = getattr(errors, name)
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert name in (cls.__qualname__, "MXNetError")


def test_a_class_of_a_program_keeps_its_name():
    class Mine(mx.base.MXNetError):
        pass

    assert Mine.__name__ == "Mine"
    assert errors.DeferredInitializationError.__name__ == "DeferredInitializationError"
    assert errors.NotImplementedForSymbol.__name__ == "NotImplementedForSymbol"
