import pytest

import opforge as mx
from opforge import autograd, nd, sym
from opforge.base.errors import OpforgeError
from opforge.native.dispatch import tape
from opforge.native.graph.arena import Arena
from opforge.native.graph.compiled import CompiledCall
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower

F32 = 0


def compiled(symbol, wanted=(), train=False, recorded=False, made=None, **shapes):
    """A compiled call of a graph's arguments in order; `made` collects its programs."""
    names = symbol.list_arguments()
    compiled = compile_graph(lower(symbol, shapes, {}), dict.fromkeys(wanted, "write"))

    def make():
        program = compiled.instantiate()
        if made is not None:
            made.append(program)
        return program

    return CompiledCall(
        compiled.programs(names, make),
        [(compiled.types[slot].shape, compiled.types[slot].code) for slot in compiled.outputs],
        [(shapes[name], F32, name in wanted) for name in names],
        train,
        recorded,
        Arena(mx.cpu()),
        compiled.steady,
        symbol,
    )


@pytest.fixture
def square():
    made = []
    call = compiled(sym.square(sym.var("x")), ["x"], True, True, made, x=(2,))
    return call, made


def leaf(*values):
    array = nd.array(values)
    array.attach_grad()
    return array


def test_recorded_calls_know_their_graph(square):
    call, _ = square
    x = leaf(1.0, 2.0)
    with autograd.record():
        (y,) = call([x])
    node, index = tape.source_of(y)
    assert index == 0
    assert node.operation(sym.var("z")).list_arguments() == ["z"]


def test_call_gives_new_outputs():
    x = sym.var("x")
    call = compiled(sym.Group([x * 2, x]), x=(2,))
    first, second = call([nd.array([1.0, 2.0])]), call([nd.array([3.0, 4.0])])
    assert [y.asnumpy().tolist() for y in first] == [[2, 4], [1, 2]]
    assert [y.asnumpy().tolist() for y in second] == [[6, 8], [3, 4]]
    assert call.programs.n_made == 1


@pytest.mark.parametrize(
    "arrays",
    [
        lambda: [nd.ones(3)],
        lambda: [nd.ones(2, dtype="float64")],
        lambda: [nd.ones(2), nd.ones(2)],
        lambda: [],
        lambda: [nd.ones(2, ctx=mx.cpu(1))],
    ],
)
def test_unsuitable_arrays_are_rejected(arrays):
    call = compiled(sym.var("x") * 2, x=(2,))
    assert not call.fits(arrays())
    with pytest.raises(OpforgeError, match="do not fit"):
        call(arrays())


def test_context_that_is_equal_fits():
    call = compiled(sym.var("x") * 2, x=(2,))
    assert call.fits([nd.ones(2, ctx=mx.Context("cpu", 0))])


def test_other_objects_are_rejected():
    double = compiled(sym.var("x") * 2, x=(2,))
    with pytest.raises(TypeError):
        double([3])
    with pytest.raises(OpforgeError, match="do not fit"):
        double([None])
    assert not double.fits([None])


def test_modes_are_distinguished(square):
    call, _ = square
    x, plain = leaf(1, 2), nd.ones(2)
    assert not call.fits([x])
    with autograd.record():
        assert call.fits([x])
        assert not call.fits([plain])
    with autograd.record(train_mode=False):
        assert not call.fits([x])
    predict = compiled(sym.var("x") * 2, x=(2,))
    assert predict.fits([x])
    with autograd.train_mode():
        assert not predict.fits([x])


def test_program_is_returned_after_the_gradient(square):
    call, made = square
    for value in (1, 2, 3):
        x = leaf(value, value)
        with autograd.record():
            (y,) = call([x])
        y.backward()
        assert x.grad.asnumpy().tolist() == [2 * value] * 2
    assert len(made) == call.programs.n_made == 1


def test_overlapping_calls_use_separate_programs(square):
    call, made = square
    for _ in range(2):
        arrays = [leaf(k, k) for k in range(7)]
        with autograd.record():
            outputs = [call([x])[0] for x in arrays]
        for y in reversed(outputs):
            y.backward()
        assert [x.grad.asnumpy()[0] for x in arrays] == [2 * k for k in range(7)]
        del outputs, y
    assert len(made) == 7


def test_program_is_returned_when_the_result_is_dropped(square):
    call, made = square
    for _ in range(3):
        with autograd.record():
            y = call([leaf(1, 2)])
        del y
    assert len(made) == 1


def test_gradient_goes_straight_into_its_array(square):
    call, _ = square
    x = leaf(3, 4)
    target = x.grad
    with autograd.record():
        (y,) = call([x])
    y.backward()
    assert x.grad is target
    assert target.asnumpy().tolist() == [6, 8]


def test_gradient_cannot_be_recorded(square):
    call, _ = square
    x = leaf(3, 4)
    with autograd.record():
        (y,) = call([x])
        with pytest.raises(OpforgeError, match=r"hybridize\(False\)"):
            autograd.grad(y, [x], create_graph=True)
    y.backward()
    assert x.grad.asnumpy().tolist() == [6, 8]


def test_inputs_without_gradient_get_none():
    y = sym.elemwise_mul(sym.var("a"), sym.var("b"))
    call = compiled(y, ["a"], True, True, a=(1,), b=(1,))
    a, b = leaf(3), nd.array([5.0])
    with autograd.record():
        (c,) = call([a, b])
    c.backward()
    assert a.grad.asscalar() == 5
    assert b.grad is None
