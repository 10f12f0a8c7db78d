"""The names of `np`, functions that NumPy computes, and NumPy's protocols."""

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
from opforge_numpy import fallback
from opforge_numpy import np as mxnp
from opforge_numpy.arrays import adopt, ndarray

from opforge import autograd, nd

#: All public names of `mxnet.np` 1.9.1.
NAMES = """
NAN NINF NZERO NaN PINF PZERO abs absolute add all allclose alltrue amax amin any append
apply_along_axis apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh
argmax argmin argpartition argsort argwhere around array array_equal array_equiv array_split
arrayprint atleast_1d atleast_2d atleast_3d average bincount bitwise_and bitwise_not bitwise_or
bitwise_xor blackman bool bool_ broadcast_arrays broadcast_to cbrt ceil choose clip column_stack
compress concatenate copy copysign corrcoef correlate cos cosh count_nonzero cov cumsum deg2rad
degrees delete diag diag_indices_from diagflat diagonal diff digitize divide divmod dot dsplit
dstack e ediff1d einsum empty empty_like equal exp expand_dims expm1 extract eye fabs fallback
fallback_linalg finfo fix flatnonzero flip fliplr flipud float16 float32 float64 float_power
floor frexp full full_like function_base genfromtxt greater greater_equal hamming hanning
heaviside histogram histogram2d histogram_bin_edges histogramdd hsplit hstack hypot i0 identity
in1d indices inf inner insert int32 int64 int8 interp intersect1d invert io isclose isfinite
isin isinf isnan isneginf isposinf ix_ lcm ldexp less less_equal lexsort linalg linspace log
log10 log1p log2 logical_not logspace matmul max maximum may_share_memory mean meshgrid min
min_scalar_type minimum mirr mod modf moveaxis msort multiarray multiply nan nan_to_num
nanargmax nanargmin nancumprod nancumsum nanmax nanmedian nanmin nanpercentile nanprod
nanquantile ndarray ndim negative newaxis nonzero not_equal npv ones ones_like outer packbits
pad partition percentile pi piecewise poly polyadd polydiv polyfit polyint polymul polysub
polyval positive power ppmt prod product promote_types ptp pv quantile rad2deg radians random
rate ravel real reciprocal remainder repeat reshape resize result_type rint roll rollaxis roots
rot90 round round_ row_stack searchsorted select set_printoptions setdiff1d setxor1d shape
shares_memory sign signbit sin sinh size sometrue sort spacing split sqrt square squeeze stack
std stride_tricks subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace
transpose trapz tril tril_indices_from trim_zeros triu_indices_from true_divide trunc uint8
union1d unique unpackbits unravel_index unwrap utils vander var vdot vsplit vstack where zeros
zeros_like
"""
#: Modules in which MXNet implements np.
MODULES = {
    "arrayprint",
    "function_base",
    "io",
    "multiarray",
    "stride_tricks",
    "utils",
}
LINALG = """
norm svd cholesky inv det slogdet solve tensorinv tensorsolve pinv eigvals eig eigvalsh eigh cond
lstsq matrix_power matrix_rank multi_dot qr
"""
MATRIX = np.arange(6, dtype="float32").reshape(2, 3)
VECTOR = np.array([3.0, 1.0, 2.0], "float32")


@pytest.fixture(autouse=True)
def warned(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Let each test begin without warnings given."""
    names: set[str] = set()
    monkeypatch.setattr(fallback, "_warned", names)
    return names


def array(values: Any) -> Any:
    """Return an array of np with the elements and the type of a NumPy array."""
    return adopt(nd.array(values, dtype=np.asarray(values).dtype))


def test_every_name_of_mxnet_is_there() -> None:
    assert {name for name in NAMES.split() if not hasattr(mxnp, name)} == MODULES
    assert [name for name in LINALG.split() if not hasattr(mxnp.linalg, name)] == []
    assert set(mxnp.linalg.__all__) == set(LINALG.split())


def test_names_that_do_not_exist_raise() -> None:
    with pytest.raises(AttributeError):
        _ = mxnp.sinus


@pytest.mark.parametrize("name", fallback.__all__)
def test_functions_have_docstrings(name: str) -> None:
    assert inspect.getdoc(getattr(mxnp, name))


CALLS: dict[str, Any] = {
    "allclose": (VECTOR, VECTOR),
    "apply_along_axis": (lambda row: row.sum(), 1, MATRIX),
    "apply_over_axes": (np.sum, MATRIX, [0, 1]),
    "argpartition": (VECTOR, 1),
    "argwhere": (MATRIX,),
    "array_equal": (VECTOR, VECTOR),
    "array_equiv": (VECTOR, VECTOR),
    "choose": (np.array([0, 1]), [np.array([1, 2]), np.array([3, 4])]),
    "compress": (np.array([True, False]), MATRIX, 0),
    "corrcoef": (MATRIX,),
    "correlate": (VECTOR, VECTOR),
    "cov": (MATRIX,),
    "diag_indices_from": (MATRIX[:, :2],),
    "digitize": (VECTOR, np.array([0.0, 2.0])),
    "divmod": (VECTOR, np.float32(2)),
    "extract": (MATRIX > 2, MATRIX),
    "float_power": (VECTOR, 2),
    "frexp": (VECTOR,),
    "heaviside": (VECTOR, np.float32(0.5)),
    "histogram2d": (VECTOR, VECTOR),
    "histogram_bin_edges": (VECTOR,),
    "histogramdd": (MATRIX[:, :2],),
    "i0": (VECTOR,),
    "interp": (VECTOR, np.array([0.0, 4.0]), np.array([0.0, 8.0])),
    "intersect1d": (VECTOR, MATRIX),
    "isclose": (VECTOR, VECTOR),
    "isin": (MATRIX, VECTOR),
    "ix_": (np.array([0, 1]), np.array([1])),
    "lexsort": ((VECTOR, VECTOR),),
    "modf": (VECTOR,),
    "nanargmax": (VECTOR,),
    "nanargmin": (VECTOR,),
    "nancumprod": (VECTOR,),
    "nancumsum": (VECTOR,),
    "nanmax": (MATRIX, 0),
    "nanmedian": (MATRIX, 0),
    "nanmin": (MATRIX, 0),
    "nanpercentile": (MATRIX, 30, 0),
    "nanquantile": (MATRIX, 0.3, 0),
    "nanstd": (MATRIX, 0),
    "nanvar": (MATRIX, 0),
    "packbits": (np.array([1, 0, 1], "uint8"),),
    "partition": (VECTOR, 1),
    "piecewise": (VECTOR, [VECTOR > 1], [1, 2]),
    "poly": (VECTOR,),
    "polyadd": (VECTOR, VECTOR),
    "polydiv": (VECTOR, VECTOR),
    "polyfit": (VECTOR, VECTOR, 1),
    "polyint": (VECTOR,),
    "polymul": (VECTOR, VECTOR),
    "polysub": (VECTOR, VECTOR),
    "real": (VECTOR,),
    "roots": (np.array([1.0, -3.0, 2.0]),),
    "searchsorted": (np.array([1.0, 2.0]), VECTOR),
    "select": ([VECTOR > 1], [VECTOR]),
    "setdiff1d": (VECTOR, np.array([3.0], "float32")),
    "setxor1d": (VECTOR, np.array([3.0], "float32")),
    "spacing": (VECTOR,),
    "tril_indices_from": (MATRIX,),
    "trim_zeros": (np.array([0.0, 1.0, 0.0]),),
    "triu_indices_from": (MATRIX,),
    "union1d": (VECTOR, VECTOR),
    "unpackbits": (np.array([5], "uint8"),),
    "unwrap": (VECTOR,),
    "vander": (VECTOR,),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:np[.]")
def test_functions_agree_with_numpy(name: str, agree: Any) -> None:
    agree(getattr(mxnp, name), getattr(np, name), *CALLS[name])


@pytest.mark.filterwarnings("ignore:np.in1d")
def test_in1d(agree: Any) -> None:
    agree(mxnp.in1d, lambda a, b: np.isin(a.ravel(), b), MATRIX, VECTOR)


def test_every_computed_function_is_tested() -> None:
    assert CALLS.keys() == {*fallback._COMPUTED, *fallback._DISCRETE}


def test_each_function_warns_once() -> None:
    x = array(VECTOR)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        mxnp.interp(x, x, x)
        mxnp.interp(x, x, x)
        mxnp.poly(x)
    assert [str(item.message).split()[0] for item in shown] == ["np.interp", "np.poly"]
    assert shown[0].filename == __file__


@pytest.mark.filterwarnings("ignore:np[.]")
def test_recorded_calls_raise_an_error() -> None:
    x = array(VECTOR)
    x.attach_grad()
    with autograd.record():
        with pytest.raises(ValueError, match=r"np\.interp .*autograd is recording"):
            mxnp.interp(x, x, x)
        assert mxnp.allclose(x, x)
        with autograd.pause():
            mxnp.interp(x, x, x)


@pytest.mark.filterwarnings("ignore:np[.]")
def test_results_that_arrays_cannot_hold_stay_in_numpy() -> None:
    found = mxnp.roots(array(np.array([1.0, 0.0, 1.0])))
    assert type(found) is np.ndarray
    assert np.iscomplexobj(found)


def test_removed_functions_name_their_package() -> None:
    with pytest.raises(RuntimeError, match="numpy-financial"):
        mxnp.pv(0.05, 10, 100)


def test_queries(agree: Any) -> None:
    assert mxnp.ndim(array(MATRIX)) == 2
    assert mxnp.ndim(3) == 0
    assert mxnp.size(array(MATRIX)) == 6
    assert mxnp.size(array(MATRIX), 0) == 2
    assert mxnp.size([1, 2]) == 2
    assert mxnp.result_type(array(MATRIX), np.float64) == np.float64
    assert mxnp.promote_types("float32", "int8") == np.float32
    agree(lambda: mxnp.genfromtxt(["1 2", "3 4"]), lambda: np.array([[1.0, 2.0], [3.0, 4.0]]))


# -- NumPy's protocols -----------------------------------------------------------------------------


FUNCTIONS: dict[str, Any] = {
    "mean": lambda x: np.mean(x),
    "sum": lambda x: np.sum(x, axis=0),
    "exp": np.exp,
    "add": lambda x: np.add(x, 1),
    "add a NumPy array": lambda x: np.ones((2, 3), "float32") + x,
    "add to a NumPy array": lambda x: np.add(x, np.ones((2, 3), "float32")),
    "concatenate": lambda x: np.concatenate([x, x]),
    "stack": lambda x: np.stack([x, x], axis=1),
    "reshape": lambda x: np.reshape(x, (3, 2)),
    "transpose": np.transpose,
    "where": lambda x: np.where(x > 2, x, -x),
    "norm": np.linalg.norm,
    "dot": lambda x: np.dot(x, x.T),
    "matmul": lambda x: np.matmul(x, x.T),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "ones_like": np.ones_like,
    "clip": lambda x: np.clip(x, 1, 2),
    "take": lambda x: np.take(x, np.array([0, 1]), axis=1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numpy_return_arrays(name: str, agree: Any) -> None:
    agree(FUNCTIONS[name], FUNCTIONS[name], MATRIX)


@pytest.mark.parametrize("name", ["exp", "mean", "norm", "einsum", "concatenate", "clip"])
def test_functions_of_numpy_have_gradients(name: str, check_gradient: Any) -> None:
    check_gradient(FUNCTIONS[name], MATRIX / 3 + 0.1)


COMPUTED: dict[str, Any] = {
    "ptp": lambda x: np.ptp(x, axis=0),
    "logaddexp": lambda x: np.logaddexp(x, x),
    "reduce": lambda x: np.add.reduce(x),
    "outer": lambda x: np.add.outer(x, x),
    "mean of some elements": lambda x: np.sum(x, where=np.array([True, False, True])),
    "convolve": lambda x: np.convolve(x[0], x[1]),
}


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.filterwarnings("ignore:np[.]")
def test_other_functions_are_computed_by_numpy(name: str, agree: Any) -> None:
    agree(COMPUTED[name], COMPUTED[name], MATRIX)


@pytest.mark.filterwarnings("ignore:np[.]")
@pytest.mark.parametrize("name", ["nanmax", "nanvar", "nancumsum", "nanmedian", "nansum", "unique"])
def test_nan_of_bfloat16_is_seen(name: str) -> None:
    values = mxnp.array([1, np.nan, 3, np.nan], dtype="float32")
    want, have = (getattr(mxnp, name)(values.astype(d)) for d in ("float32", "bfloat16"))
    assert np.dtype(have.dtype).name == "bfloat16"
    wide = (np.asarray(x, dtype="float32").tolist() for x in (want, have))
    np.testing.assert_array_equal(*wide)


@pytest.mark.filterwarnings("ignore:np[.]")
def test_results_beside_bfloat16_keep_their_types() -> None:
    x = mxnp.array([3, 1, 3], dtype="bfloat16")
    values, index, counts = mxnp.unique(x, return_index=True, return_counts=True)
    assert np.dtype(values.dtype).name == "bfloat16" and values.tolist() == [1, 3]
    assert index.tolist() == [1, 0] and counts.tolist() == [1, 2]
    found = mxnp.nanmax(x * 1, out=mxnp.zeros((), dtype="float32"))
    mixed = mxnp.interp(x, mxnp.array([0.0, 4]), mxnp.array([0.0, 8]))
    assert found.dtype == np.float32 and mixed.dtype != x.dtype


@pytest.mark.filterwarnings("ignore:np[.]")
def test_results_go_to_out() -> None:
    x = array(MATRIX)
    out = array(np.zeros_like(MATRIX))
    assert np.exp(x, out=out) is out
    np.testing.assert_allclose(out.asnumpy(), np.exp(MATRIX), rtol=1e-6)
    assert np.logaddexp(x, x, out=out) is out
    np.testing.assert_allclose(out.asnumpy(), np.logaddexp(MATRIX, MATRIX), rtol=1e-6)
    host = np.zeros_like(MATRIX)
    assert np.add(x, x, out=host) is host
    host += x
    assert type(host) is np.ndarray
    np.testing.assert_allclose(host, 3 * MATRIX)


def test_protocols_reject_other_callers() -> None:
    x = array(VECTOR)
    with pytest.raises(TypeError, match="universal functions"):
        x.__array_ufunc__(len, "__call__", x)
    with pytest.raises(TypeError, match="NumPy calls this"):
        x.__array_function__(3, (), (), {})
    assert issubclass(ndarray, nd.NDArray)


def test_modules_of_mxnet():
    from opforge import np as mnp
    from opforge import numpy_dispatch_protocol as protocol

    for module in (mnp.fallback, mnp.fallback_linalg):
        assert all(callable(getattr(module, name)) for name in module.__all__)
    assert mnp.fallback.interp is mnp.interp
    with pytest.raises(AttributeError, match="no attribute 'dot'"):
        mnp.fallback.dot  # noqa: B018
    assert {"dot", "linalg.svd"} & set(protocol._NUMPY_ARRAY_FUNCTION_LIST) == {"dot"}
    assert "add" in protocol._NUMPY_ARRAY_UFUNC_LIST

    @protocol.with_array_function_protocol
    @protocol.with_array_ufunc_protocol
    def double(x):
        return np.add(x, np.mean(x))

    np.testing.assert_array_equal(double(mnp.ones(2)).asnumpy(), [2, 2])


@pytest.mark.filterwarnings("ignore:np.nan")
@pytest.mark.parametrize("name", ["nanpercentile", "nanquantile"])
def test_former_name_of_the_method_of_quantiles(name):
    from opforge import np as mnp

    x = np.array([1, 2, np.nan, 4], "float32")
    expected = getattr(np, name)(x, 0.4, method="lower")
    assert getattr(mnp, name)(mnp.array(x), 0.4, interpolation="lower") == expected
