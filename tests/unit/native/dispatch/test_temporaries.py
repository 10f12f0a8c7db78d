"""Memory is taken over only from arrays without other references."""

import ctypes
import functools
import weakref

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.native.dispatch import temporaries

SIZE = 1 << 16

pytestmark = pytest.mark.usefixtures("no_collector")


def ramp():
    """Return an array whose copies out are temporaries as operators make them."""
    return nd.arange(SIZE)


def lent():
    return mx.memory_stats()["lent_bytes"]


def numbers():
    return np.arange(SIZE, dtype="f")


class Holder:
    pass


# nd.array


def test_temporary_is_taken_over():
    source = ramp()
    before, live = lent(), mx.memory_stats()["live_bytes"]
    taken = nd.array(source.asnumpy())
    assert lent() - before >= taken.nbytes
    assert mx.memory_stats()["live_bytes"] - live == taken.nbytes  # it is an array's memory now
    np.testing.assert_array_equal(taken.asnumpy(), numbers())
    del taken
    assert lent() == before
    assert mx.memory_stats()["live_bytes"] == live


def test_taken_over_memory_is_an_ordinary_array():
    source = ramp()
    taken = nd.array(source.asnumpy())
    taken[:2] = 7
    assert taken[:3].asnumpy().tolist() == [7, 7, 2]
    view = taken[1:3]
    del taken
    assert view.asnumpy().tolist() == [7, 2]


def test_shape_and_context_are_kept():
    source = ramp()
    taken = nd.array(source.reshape((4, -1)).asnumpy(), ctx=mx.cpu(1))
    assert taken.shape == (4, SIZE // 4)
    assert taken.context == mx.cpu(1)


def named(array):
    name = array
    return nd.array(name), name


def in_list(array):
    things = [array]
    del array
    return nd.array(things[0]), things[0]


def in_attribute(array):
    holder = Holder()
    holder.value = array
    del array
    return nd.array(holder.value), holder.value


def in_closure(array):
    def get():
        return array

    return nd.array(get()), array


def by_star(array):
    arguments = (array,)
    del array
    return nd.array(*arguments), arguments[0]


def by_keywords(array):
    arguments = {"source_array": array}
    del array
    return nd.array(**arguments), arguments["source_array"]


def by_partial(array):
    call = functools.partial(nd.array, array)
    del array
    return call(), call.args[0]


def by_map(array):
    things = [array]
    del array
    return next(map(nd.array, things)), things[0]


def by_sort_key(array):
    """A C caller that borrows: while it sorts, the list's own storage holds the only reference."""
    results = []
    things = [array]
    del array
    things.sort(key=lambda item: results.append(nd.array(item)) or 0)
    return results[0], things[0]


def by_generator(array):
    def yields():
        value = array
        yield value

    return nd.array(next(yields())), array


def in_memoryview(array):
    view = memoryview(array)
    del array
    return nd.array(view.obj), np.asarray(view)


def in_ctypes(array):
    pointer = array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    owner = pointer._arr
    del array
    return nd.array(owner), owner


def through_weakref(array):
    reference = weakref.ref(array)
    things = [array]
    del array
    taken = nd.array(things.pop())
    return taken, numbers() if reference() is None else reference()


def of_view(array):
    return nd.array(array[:]), array


def of_reshape(array):
    return nd.array(array.reshape(2, -1)), array


def of_dlpack(array):
    return nd.array(np.from_dlpack(array)), array


def of_subclass(array):
    class Sub(np.ndarray):
        pass

    return nd.array(array.view(Sub)), array


HELD = [
    named, in_list, in_attribute, in_closure, by_star, by_keywords, by_partial, by_map, by_sort_key,
    by_generator, in_memoryview, in_ctypes, through_weakref, of_view, of_reshape, of_dlpack,
    of_subclass,
]  # fmt: skip


@pytest.mark.parametrize("hold", HELD, ids=lambda f: f.__name__)
def test_referenced_arrays_are_copied(hold):
    source = ramp()
    result, held = hold(source.asnumpy())
    held.reshape(-1)[:] = -1
    np.testing.assert_array_equal(result.asnumpy().reshape(-1), numbers())


def unaligned():
    memory = np.zeros(4 * SIZE + 64, "u1")
    start = (16 - memory.ctypes.data) % 64
    return memory[start : start + 4 * SIZE].view("f")


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.asnumpy().astype("f8"),
        lambda x: x.reshape((2, -1)).asnumpy().T,
        lambda x: np.asfortranarray(x.reshape((2, -1)).asnumpy()),
        lambda x: x.asnumpy()[:10].copy(),
        lambda x: x.asnumpy().astype(">f4"),
        lambda x: unaligned(),
        lambda x: np.zeros(SIZE, "u2"),
    ],
    ids=["dtype", "strided", "fortran", "small", "swapped", "unaligned", "no-such-type"],
)
def test_unsuitable_arrays_are_copied(make):
    source = ramp()
    before = lent()
    expected = make(source).astype("f")
    result = nd.array(make(source))
    np.testing.assert_array_equal(result.asnumpy(), expected)
    del expected
    assert lent() == before


def test_read_only_temporary_is_copied():
    source = ramp()

    def frozen():
        array = source.asnumpy()
        array.flags.writeable = False
        return array

    before = lent()
    result = nd.array(frozen())
    assert lent() == before
    result[0] = 5
    assert result[0].asscalar() == 5


def test_everything_is_copied_if_reference_counts_are_not_reliable():
    source = ramp()
    former = temporaries.trust_references(None)
    try:
        before = lent()
        result = nd.array(source.asnumpy())
        assert lent() == before
    finally:
        assert temporaries.trust_references(former) is None
    np.testing.assert_array_equal(result.asnumpy(), numbers())


# CustomOp.assign

STEPS = {}


class Stepping(mx.operator.CustomOp):
    """Runs the steps that the test has put into STEPS."""

    def forward(self, is_train, req, in_data, out_data, aux):
        STEPS["forward"](self, req, in_data, out_data)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        STEPS["backward"](self, req, in_data, in_grad)


@mx.operator.register("temporaries_stepping")
class SteppingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Stepping()


def write_temporary(op, req, in_data, out_data):
    op.assign(out_data[0], req[0], nd.array(in_data[0].asnumpy() * 2))


def run(source, forward, **options):
    STEPS["forward"] = forward
    STEPS["backward"] = write_temporary
    try:
        return nd.Custom(source, op_type="temporaries_stepping", **options)
    finally:
        del STEPS["forward"]


def test_output_takes_over_a_temporary():
    source = ramp()
    before = lent()
    result = run(source, write_temporary)
    assert lent() - before >= result.nbytes
    np.testing.assert_array_equal(result.asnumpy(), numbers() * 2)


def test_output_takes_over_a_numpy_temporary():
    source = ramp()
    before = lent()
    result = run(source, lambda op, r, x, y: op.assign(y[0], r[0], x[0].asnumpy() * 2))
    assert lent() - before >= result.nbytes
    np.testing.assert_array_equal(result.asnumpy(), numbers() * 2)


def test_users_own_output_keeps_its_memory():
    source = ramp()
    out = nd.zeros((SIZE,))
    view = out[:3]
    address, before = out.handle, lent()
    run(source, write_temporary, out=out)
    assert out.handle == address
    assert lent() == before
    assert view.asnumpy().tolist() == [0, 2, 4]


EXPORTS = {
    "name": lambda a: a,
    "view": lambda a: a[2:4],
    "array": np.asarray,
    "memoryview": memoryview,
    "dlpack": lambda a: np.from_dlpack(a),
    "detached": lambda a: a.detach(),
}


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_referenced_output_is_written_in_place(export):
    source = ramp()
    seen = []

    def forward(op, req, in_data, out_data):
        seen.append(export(out_data[0]))
        write_temporary(op, req, in_data, out_data)

    run(source, forward)
    exported = seen[0].asnumpy() if isinstance(seen[0], nd.NDArray) else np.asarray(seen[0])
    assert exported[-1] in {2.0 * (SIZE - 1), 6.0}


def test_output_whose_address_was_taken_is_written_in_place():
    source = ramp()
    addresses = []

    def forward(op, req, in_data, out_data):
        addresses.append(out_data[0].handle)
        write_temporary(op, req, in_data, out_data)

    assert run(source, forward).handle == addresses[0]


def test_named_source_is_copied():
    source = ramp()

    def forward(op, req, in_data, out_data):
        value = nd.array(in_data[0].asnumpy() * 2)
        op.assign(out_data[0], req[0], value)
        value[:] = -1
        op.kept = in_data[0].asnumpy()
        op.assign(out_data[0], req[0], op.kept)
        op.kept[:] = -1

    np.testing.assert_array_equal(run(source, forward).asnumpy(), numbers())


SHARING = {
    "input": lambda x: x[0],
    "popped": lambda x: x.pop(),
    "view": lambda x: x[0][:],
    "part": lambda x: x[0].reshape((-1,)),
    "wrapped": lambda x: nd.from_numpy(np.asarray(x[0])),
}


@pytest.mark.parametrize("share", SHARING.values(), ids=SHARING)
def test_shared_memory_is_copied(share):
    source = ramp()
    result = run(source, lambda op, r, x, y: op.assign(y[0], r[0], share(x)))
    source[:] = -1
    np.testing.assert_array_equal(result.asnumpy(), numbers())


def test_foreign_memory_is_copied():
    source = ramp()
    users = numbers()
    result = run(source, lambda op, r, x, y: op.assign(y[0], r[0], nd.from_numpy(users)))
    users.flags.writeable = True  # from_numpy takes that away, and NumPy's user may take it back
    users[:] = -1
    np.testing.assert_array_equal(result.asnumpy(), numbers())


def test_output_may_be_assigned_often():
    source = ramp()

    def forward(op, req, in_data, out_data):
        for factor in (5, 4, 3):
            op.assign(out_data[0], req[0], nd.array(in_data[0].asnumpy() * factor))
        op.assign(out_data[0], "add", in_data[0])
        op.assign(out_data[0], "null", in_data[0])

    np.testing.assert_array_equal(run(source, forward).asnumpy(), numbers() * 4)


def test_outputs_that_the_operator_keeps_stay_the_result():
    source = ramp()
    kept = []

    def forward(op, req, in_data, out_data):
        write_temporary(op, req, in_data, out_data)
        kept.extend(out_data)
        del out_data[:]

    result = run(source, forward)
    assert kept[0].handle == result.handle
    view = result[:2]
    before = lent()
    mx.operator.CustomOp().assign(kept[0], "write", nd.array(source.asnumpy()))
    assert lent() == before  # the operator is done: nothing is taken over any more
    assert view.asnumpy().tolist() == [0, 1]


def test_error_after_assign_closes_the_outputs():
    source = ramp()
    kept = []

    def forward(op, req, in_data, out_data):
        kept.append(out_data[0])
        raise RuntimeError("expected")

    with pytest.raises(mx.MXNetError):
        run(source, forward)
    before = lent()
    mx.operator.CustomOp().assign(kept.pop(), "write", nd.array(source.asnumpy()))
    assert lent() == before


def gradient(source, backward, forward=write_temporary):
    """Return the output after a backward pass through the steps."""
    STEPS.update(forward=forward, backward=backward)
    with mx.autograd.record():
        result = nd.Custom(source, op_type="temporaries_stepping")
    result.backward()
    return result


def test_gradient_takes_over_a_temporary():
    source = ramp()
    source.attach_grad()
    result = gradient(source, write_temporary, lambda op, r, x, y: None)
    assert lent() >= result.nbytes
    np.testing.assert_array_equal(source.grad.asnumpy(), numbers() * 2)


def test_gradient_in_the_middle_takes_over_a_temporary():
    source = ramp()
    source.attach_grad()
    STEPS.update(forward=write_temporary, backward=write_temporary)
    with mx.autograd.record():
        result = nd.Custom(source + 0, op_type="temporaries_stepping")
    result.backward()
    np.testing.assert_array_equal(source.grad.asnumpy(), numbers() * 2)


@pytest.mark.parametrize("hold", EXPORTS.values(), ids=EXPORTS)
def test_referenced_gradient_is_written_in_place(hold):
    source = ramp()
    source.attach_grad()
    held = hold(source.grad)
    gradient(source, write_temporary)
    seen = held.asnumpy() if isinstance(held, nd.NDArray) else np.asarray(held)
    assert seen[-1] in {2.0 * (SIZE - 1), 6.0}


def test_gradient_whose_address_was_taken_stays_there():
    source = ramp()
    source.attach_grad()
    address = source.grad.handle
    gradient(source, write_temporary)
    assert source.grad.handle == address


def test_gradients_are_added_in_place():
    source = ramp()
    source.attach_grad("add")
    for _ in range(2):
        gradient(source, write_temporary)
    np.testing.assert_array_equal(source.grad.asnumpy(), numbers() * 4)


def test_assign_broadcasts_and_casts_as_before():
    op = mx.operator.CustomOp()
    target = nd.zeros((2, 3))
    op.assign(target, "write", nd.array([1, 2, 3]))
    assert target.asnumpy().tolist() == [[1, 2, 3]] * 2
    op.assign(target, "inplace", np.array([[1], [2]], "i8"))
    assert target.asnumpy().tolist() == [[1] * 3, [2] * 3]
    op.assign(target, "write", np.arange(6, dtype="f8").reshape(2, 3))
    assert target.asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    op.assign(target, "write", np.asarray(target)[:, ::-1])
    assert target.asnumpy().tolist() == [[2, 1, 0], [5, 4, 3]]
    op.assign(target, "write", 7)
    assert target.asnumpy().tolist() == [[7] * 3] * 2
    plain = np.zeros(3)
    op.assign(plain, "write", np.arange(3))
    assert plain.tolist() == [0, 1, 2]
