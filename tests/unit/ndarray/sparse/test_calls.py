import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.ndarray.sparse import calls
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.op.registry.registry import lookup, register_operator
from opforge.op.rules.table import register


@pytest.mark.plugins
def test_rules_are_by_the_operators_own_names():
    for name in (*calls.RULES, *calls.KEEPING_ZEROS, *calls.PERHAPS_KEEPING_ZEROS, "zeros_like"):
        assert lookup(name).prop_class.name == name


@pytest.mark.plugins
@pytest.mark.parametrize("name", sorted(calls.KEEPING_ZEROS))
def test_zeros_are_kept(make_sparse, values, stype, name):
    sparse = make_sparse()
    result = getattr(nd, name)(sparse)
    assert result.stype == stype
    np.testing.assert_array_equal(result.asnumpy(), getattr(nd, name)(nd.array(values)).asnumpy())
    assert not np.shares_memory(np.asarray(result.indices), np.asarray(sparse.indices))


@pytest.mark.plugins
@pytest.mark.parametrize("name", ["exp", "cos", "sigmoid", "ones_like", "transpose", "Flatten"])
def test_other_operators_get_dense_copies(make_sparse, values, name):
    sparse = make_sparse()
    result = getattr(nd, name)(sparse)
    assert result.stype == "default"
    np.testing.assert_array_equal(result.asnumpy(), getattr(nd, name)(nd.array(values)).asnumpy())


@pytest.mark.parametrize(
    ("call", "keeps"),
    [
        (lambda x: x + 0, True),
        (lambda x: x + 1, False),
        (lambda x: 0 - x, False),
        (lambda x: x * 2, True),
        (lambda x: x / 2, True),
        (lambda x: x * float("nan"), False),
        (lambda x: x**2, False),
        (lambda x: x > 0, True),
        (lambda x: x > -1, False),
        (lambda x: x == 1, True),
        (lambda x: x == 0, False),
        (lambda x: nd.clip(x, -1, 1), True),
        (lambda x: nd.clip(x, 1, 2), False),
        (nd.zeros_like, True),
    ],
)
def test_the_result_is_sparse_where_zero_gives_zero(make_sparse, values, stype, call, keeps):
    sparse = make_sparse()
    result = call(sparse)
    assert result.stype == (stype if keeps else "default")
    np.testing.assert_array_equal(result.asnumpy(), call(nd.array(values)).asnumpy())


def test_out_keeps_its_storage_type(values, stype):
    x = nd.array(values)
    out, dense = nd.zeros((4, 3), stype=stype), nd.zeros((4, 3))
    assert nd.broadcast_add(x, x, out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), 2 * values)
    nd.elemwise_add(out, out, out=out)
    assert nd.square(out, out=dense) is dense
    np.testing.assert_array_equal(dense.asnumpy(), 16 * values**2)
    with pytest.raises(ValueError, match="has 1 outputs, out has 2"):
        nd.sum(x, out=[out, out])


def test_gradients_flow_past_sparse_constants(make_sparse, values):
    sparse = make_sparse()
    x = nd.ones((4, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.elemwise_mul(x, sparse) + x * sparse
        z = nd.square(sparse)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * values)
    assert z.stype == sparse.stype


def test_errors_are_those_of_dense_calls(make_sparse):
    sparse = make_sparse()
    with pytest.raises(mx.MXNetError, match="concat"):
        nd.concat(sparse, nd.ones((1, 7)), dim=0)


def test_names_of_one_operator_have_one_rule(make_sparse, stype):
    assert nd._MulScalar(make_sparse(), scalar=2).stype == stype
    assert nd._Plus(make_sparse(), make_sparse()).stype == stype


def test_scattered_operators_skip_unstored_elements(make_sparse, stype):
    x = make_sparse()
    for call, shift in ((nd._scatter_plus_scalar, 9), (nd._scatter_minus_scalar, -9)):
        result = call(x, scalar=9)
        assert result.stype == stype
        np.testing.assert_array_equal(result.data.asnumpy(), x.data.asnumpy() + shift)


@pytest.mark.parametrize("kind", ["default", "row_sparse", "csr"])
def test_the_stored_rows_are_divided(kind):
    values = np.array([[1, 2], [0, 0], [0, 6]], np.float32)
    divisor = nd.array([[2, 2], [0, 0], [0, 3]]).tostype(kind)
    x = nd.array(values).tostype("row_sparse")
    result = nd._scatter_elemwise_div(x, divisor)
    assert result.stype == "row_sparse" and result.indices.asnumpy().tolist() == [0, 2]
    np.testing.assert_array_equal(result.asnumpy(), [[0.5, 1], [0, 0], [np.nan, 2]])
    dense = nd._scatter_elemwise_div(nd.array(values), divisor)
    assert dense.stype == "default" and np.isnan(dense.asnumpy()[1]).all()


class Stored(OperatorProp):
    """Return how many elements a sparse array stores, and those of a dense one."""

    name = "test_calls_stored"
    differentiable = False
    outputs = ("count", "zeros")

    def infer_shape(self, in_shape):
        return in_shape, [(1,), in_shape[0]], []

    def compute_sparse(self, data):
        if data.stype == "row_sparse":
            return NotImplemented
        return nd.array([data.data.size]), nd.zeros(data.shape, stype="csr")

    def compose(self, F, data):
        return [F.array([data.size]), F.zeros_like(data)]


def test_operators_declare_rules(make_sparse, stype):
    with registry.temporary():
        register_operator(Stored)
        x = make_sparse()
        x.attach_grad()
        expected = x.data.size if stype == "csr" else x.size
        for recording in (autograd.pause, autograd.record):
            with recording():
                count, zeros = nd.test_calls_stored(x)
            assert count.asscalar() == expected
            assert zeros.stype == ("csr" if stype == "csr" else "default")
        targets = [nd.zeros((1,)), nd.ones(x.shape)]
        nd.test_calls_stored(x, out=targets)
        assert targets[0].asscalar() == expected and not targets[1].asnumpy().any()
        with pytest.raises(ValueError, match="has 2 outputs, out has 1"):
            nd.test_calls_stored(x, out=targets[0])


def test_programs_replace_rules_of_the_core(make_sparse):
    x = make_sparse()
    expected = nd.sum(x, axis=1).asnumpy()
    register("compute_sparse", "sum")(lambda prop, data: nd.array([prop.axis[0]]))
    assert nd.sum(x, axis=1).asnumpy().tolist() == [1]
    register("compute_sparse", "sum")(lambda prop, data: NotImplemented)
    np.testing.assert_allclose(nd.sum(x, axis=1).asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["cos", "_power_scalar"])
def test_elementwise_kernels_may_have_rules(make_sparse, stype, name):
    register("compute_sparse", "cos")(lambda prop, data: data * 2)
    register("compute_sparse", "_power_scalar")(lambda prop, data: data * prop.scalar)
    x = make_sparse()
    result = nd.cos(x) if name == "cos" else nd._internal._power_scalar(x, scalar=2)
    assert result.stype == stype
    np.testing.assert_array_equal(result.asnumpy(), 2 * x.asnumpy())


def test_counts_while_recording():
    x = nd.array([[0, 1], [2, 3]]).tostype("csr")
    x.attach_grad()
    with autograd.record():
        assert nd.contrib.getnnz(x, axis=0).asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize("name", ["_maximum", "_minimum", "_hypot"])
@pytest.mark.parametrize("kinds", [("csr", "csr"), ("row_sparse", "row_sparse")])
def test_functions_of_pairs_keep_the_storage_type(name, kinds):
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 5, 4))
    first[rng.random(first.shape) < 0.6] = 0
    second[:2] = 0
    x, y = (nd.array(one).tostype(kind) for one, kind in zip((first, second), kinds, strict=True))
    call = getattr(nd._internal, name)
    result = call(x, y)
    assert result.stype == kinds[0]
    result.check_format()
    np.testing.assert_array_equal(
        result.asnumpy(), call(nd.array(first), nd.array(second)).asnumpy()
    )
    assert call(x, nd.array(second)).stype == call(x, nd.zeros_like(x) + 1).stype == "default"
    empty = nd.zeros((5, 4), stype=kinds[0])
    assert call(empty, empty).data.size == 0
    with pytest.raises(mx.MXNetError, match="expected equal"):
        call(x, nd.zeros((4, 4), stype=kinds[1]))


def test_functions_of_pairs_of_repeated_indices():
    x = nd.sparse.csr_matrix(([1, 2, 5], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    y = nd.sparse.csr_matrix(([4], [1], [0, 1, 1]), shape=(2, 2))
    assert nd._internal._maximum(x, y).asnumpy().tolist() == [[3, 4], [0, 5]]
    x = nd.sparse.row_sparse_array(([[1], [2]], [1, 1]), shape=(3, 1))
    y = nd.sparse.row_sparse_array(([[4]], [0]), shape=(3, 1))
    assert nd._internal._minimum(x, y).asnumpy().tolist() == [[0], [0], [0]]


@pytest.mark.parametrize("kind", ["default", "csr", "row_sparse"])
@pytest.mark.parametrize("like", ["default", "csr", "row_sparse"])
def test_identity_with_attributes_of_another_array(kind, like):
    x = nd.array([[0, 1], [0, 0]]).tostype(kind)
    result = nd._internal._identity_with_attr_like_rhs(x, nd.ones((2, 2)).tostype(like))
    assert result.stype == like
    assert result.asnumpy().tolist() == [[0, 1], [0, 0]]


def test_sparse_arrays_are_shuffled(make_sparse, values):
    result = nd.shuffle(make_sparse())
    assert result.stype == "default"
    np.testing.assert_array_equal(np.sort(result.asnumpy(), axis=0), np.sort(values, axis=0))


@pytest.mark.parametrize(("kind", "other"), [("csr", "row_sparse"), ("row_sparse", "csr")])
def test_errors_of_conversions_are_those_of_operators(kind, other):
    x = nd.zeros((2, 2), stype=kind)
    for error in (mx.MXNetError, ValueError):
        with pytest.raises(error, match=f"from {kind} to {other} is not supported"):
            nd.cast_storage(x, stype=other)
