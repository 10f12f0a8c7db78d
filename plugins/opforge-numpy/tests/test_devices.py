"""Every function computes on the device of its arrays, with the results of the default device."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge import np as mxnp
from opforge import npx as mxnpx

pytestmark = [
    pytest.mark.filterwarnings("ignore:np.* is computed by NumPy"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]
#: What calls raise for matrices without rows, or while autograd records.
ERRORS = (
    ValueError,
    TypeError,
    IndexError,
    np.linalg.LinAlgError,
    mx.MXNetError,
    NotImplementedError,
)

# fmt: off
#: Arguments -> names of functions of `np` that are called with them.
NUMPY = {
    "x": """
        abs absolute all alltrue amax amin any arccos arccosh arcsin arcsinh arctan arctanh
        argmax argmin argsort argwhere around atleast_1d atleast_2d atleast_3d average
        broadcast_arrays cbrt ceil column_stack concatenate copy corrcoef cos cosh count_nonzero
        cov cumsum deg2rad degrees diag diag_indices_from diagflat diagonal diff dstack ediff1d
        empty_like exp exp2 expm1 fabs fix flatnonzero flip fliplr flipud floor frexp histogram
        histogram_bin_edges histogramdd hstack i0 isfinite isinf isnan isneginf isposinf lexsort
        log log10 log1p log2 logical_not max mean median meshgrid min modf msort nan_to_num
        nanargmax nanargmin nancumprod nancumsum nanmax nanmedian nanmin nanprod nanstd nansum
        nanvar negative nonzero ones_like poly positive prod product ptp rad2deg radians ravel
        real reciprocal rint rot90 round round_ row_stack sign signbit sin sinh sometrue sort
        spacing sqrt square squeeze stack std sum tan tanh trace transpose trapz tril
        tril_indices_from trim_zeros triu triu_indices_from trunc unique unwrap var vstack where
        zeros_like
    """,
    "x, x": """
        add allclose append arctan2 array_equal array_equiv copysign cross divide divmod dot
        equal extract float_power floor_divide fmax fmin fmod greater greater_equal heaviside
        hypot in1d inner intersect1d isclose isin kron ldexp less less_equal linspace
        logical_and logical_or logical_xor logspace matmul maximum minimum mod multiply
        nanpercentile not_equal outer polyadd polysub polyval power remainder setdiff1d setxor1d
        subtract tensordot true_divide union1d vdot
    """,
    "x, x[0]": "add cross matmul percentile",
    "x, x[0] / 8": "quantile nanquantile",
    "x > 1, x, x[0]": "where",
    "i": "bincount bitwise_not invert packbits",
    "i, i": """
        argpartition bitwise_and bitwise_or bitwise_xor choose compress correlate gcd
        histogram2d lcm left_shift partition polydiv polymul right_shift searchsorted take
    """,
    "i, x[::-1, 0]": "digitize",
    "x[0]": "ix_ polyint roots vander",
    "x, 1": """
        add array_split expand_dims full_like pad repeat resize roll rollaxis split tile delete
        take vsplit hsplit
    """,
    "x, (2, *x.shape)": "broadcast_to resize",
    "x, -1": "reshape",
    "x, 0, 1": "moveaxis swapaxes clip",
    "x, 1, 2.0": "insert",
    "x[:, :, None], 1": "dsplit",
    "'ij,ij->j', x, x": "einsum",
    "'ij->j', x": "einsum",
    "mxnp.sum, 0, x": "apply_along_axis",
    "mxnp.sum, x, 0": "apply_over_axes",
    "x[0], x[1], x[2]": "interp",
    "x[0], x[1], 1": "polyfit",
    "x[0], [x[0] > 1], [2.0]": "piecewise",
    "[x > 1, x > 0], [x, x]": "select",
    "x, i[:, None], 1": "take_along_axis",
    "i.astype('uint8')": "unpackbits",
    "i, (2, 3)": "unravel_index",
}
LINALG = {
    "x": "cholesky cond det eig eigh eigvals eigvalsh inv matrix_rank norm pinv qr slogdet svd",
    "x, x": "lstsq solve",
    "x, 1": "matrix_power tensorinv",
    "[x, x]": "multi_dot",
    "x, x[0]": "tensorsolve",
}
#: Functions with arguments and results that are not arrays, and those that create arrays.
WITHOUT_ARRAYS = {
    "np": """
        arange array blackman empty eye full genfromtxt hamming hanning identity indices
        may_share_memory min_scalar_type mirr ndim npv ones pmt ppmt promote_types pv rate
        result_type set_printoptions shape shares_memory size tri zeros
    """,
    "linalg": "in_numpy",
}
NPX = {
    "x": """
        arange_like batch_flatten dropout erf erfinv gamma gammaln hard_sigmoid index_array
        l2_normalization leaky_relu log_softmax masked_log_softmax masked_softmax nonzero norm
        relu sequence_last sequence_mask sequence_reverse shape_array sigmoid smooth_l1 softmax
        softmin stop_gradient topk
    """,
    "x, x": "broadcast_like reshape_like slice_like",
    "i, 3": "one_hot",
    "x, i": "pick",
    "x, 'relu'": "activation",
    "x[None], x[None]": "batch_dot",
    "x, x[0], x[1]": "layer_norm",
    "x, x[0], x[1], x[0], x[1]": "batch_norm",
    "x[None], x[0], x[1]": "instance_norm",
    "x[None], x[0], x[1], 3": "group_norm",
    "i, x, 3, 3": "embedding",
    "x, x, x[0], 3": "fully_connected",
    "x[None, None], x[None, None], x[0, :1], (3, 3), (1, 1), (1, 1), (0, 0), 1": "convolution",
    "x[None, None], (2, 2)": "pooling",
    "x, i[None]": "gather_nd",
    "x[0], i[None], (3,)": "scatter_nd",
    "x, i[None], x": "index_add index_update",
    "x, (0, 0), (2, 2)": "slice",
    "x, 0, 0, 2": "slice_axis",
    "x, (-1,)": "reshape",
}
# fmt: on


def calls(module: str, table: dict[str, str]) -> list[str]:
    """Return the text of each call."""
    return [
        f"{module}.{name}({arguments})"
        for arguments, names in table.items()
        for name in names.split()
    ]


CALLS = [*calls("mxnp", NUMPY), *calls("mxnp.linalg", LINALG), *calls("mxnpx", NPX)]


def arrays_on(device: Any, rows: int) -> dict[str, Any]:
    """Return arguments of the calls: symmetric positive definite matrices, indices, modules."""
    values = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])[:rows]
    x = mxnp.array(values, ctx=device)
    x.attach_grad()
    i = mxnp.array([1, 0, 2][:rows], dtype="int64", ctx=device)
    return {"x": x, "i": i, "mxnp": mxnp, "mxnpx": mxnpx}


def arrays_in(result: Any) -> Iterator[Any]:
    if isinstance(result, nd.NDArray):
        yield result
    elif isinstance(result, list | tuple):
        for item in result:
            yield from arrays_in(item)


def outcome(call: str, device: Any, rows: int, recorded: bool) -> list[Any]:
    """Return the arrays that a call gives, with the gradient, or the type of its error."""
    given = arrays_on(device, rows)
    try:
        if not recorded:
            return list(arrays_in(eval(call, given)))
        with autograd.record():
            found = [one for one in arrays_in(eval(call, given)) if one.dtype == given["x"].dtype]
        if found:
            autograd.backward(found)
        return [*found, given["x"].grad]
    except ERRORS as error:
        return [type(error)]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("rows", [3, 0])
@pytest.mark.parametrize("recorded", [False, True])
def test_results_are_on_the_device_of_the_arrays(call: str, rows: int, recorded: bool) -> None:
    expected = outcome(call, mx.cpu(0), rows, recorded)
    found = outcome(call, mx.cpu(1), rows, recorded)
    assert len(found) == len(expected)
    is_random = "dropout" in call or "empty" in call
    for ours, theirs in zip(found, expected, strict=True):
        if not isinstance(theirs, nd.NDArray):
            assert ours == theirs
            continue
        assert ours.context == mx.cpu(1)
        if not is_random:
            np.testing.assert_array_equal(ours.asnumpy(), theirs.asnumpy())


@pytest.mark.parametrize("call", CALLS)
def test_the_calls_are_valid(call: str) -> None:
    assert not any(isinstance(one, type) for one in outcome(call, mx.cpu(0), 3, False))


@pytest.mark.parametrize(
    ("module", "table", "label"), [(mxnp, NUMPY, "np"), (mxnp.linalg, LINALG, "linalg")]
)
def test_no_function_is_missing(module: Any, table: dict[str, str], label: str) -> None:
    called = {call.partition("(")[0].rpartition(".")[2] for call in calls("m", table)}
    known = called | set(WITHOUT_ARRAYS[label].split())
    public = {
        name
        for name in dir(module)
        if not name.startswith("_")
        and callable(value := getattr(module, name))
        and not inspect.isclass(value)
    }
    assert public - known == set()
