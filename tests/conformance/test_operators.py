"""Walk the table: every primitive operator against its reference, in every kind of call."""

import numpy as np
import pytest

from opforge import nd, std
from opforge.op.registry.registry import lookup
from opforge.testing import check_gradients, check_requests

from . import choices, creation, elementwise, moves, precision, reductions

TABLES = (elementwise, reductions, moves, choices, creation, precision)
CASES = {case.operator: case for table in TABLES for case in table.CASES}


@pytest.fixture(params=sorted(CASES))
def case(request):
    return CASES[request.param]


def as_tuple(result):
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def arrays_of(case, inputs, dtype):
    return [
        nd.array(x, dtype="float32" if position in case.free else dtype)
        for position, x in enumerate(inputs)
    ]


def expected_of(case, call, arrays):
    """Return the reference on the values that the arrays have after rounding to their type."""
    values = [a.asnumpy().astype("float64") for a in arrays]
    return [np.asarray(x, dtype=float) for x in as_tuple(case.reference(*values, **call.attrs))]


def is_filled(call):
    return all(0 not in shape for shape in call.shapes)


#: Operators that take no dense arrays; tests/unit/ndarray/sparse tests them.
SPARSE = {"_contrib_getnnz"}


def test_every_operator_has_a_row():
    # Random results have no reference; tests/unit/std/test_random.py tests these operators.
    names = {row.name for row in std.ROWS if not row.named_attribute("FResourceRequest")}
    names -= SPARSE
    assert names - set(CASES) == set(), "operators without a row in the table"
    assert set(CASES) - names == set(), "rows without an operator"


def test_forward_matches_the_reference(case):
    for call in case.calls:
        inputs = case.draw(call)
        for dtype in case.dtypes:
            arrays = arrays_of(case, inputs, dtype)
            expected = expected_of(case, call, arrays)
            results = as_tuple(getattr(nd, case.operator)(*arrays, **call.attrs))
            assert len(results) == len(expected)
            for have, want in zip(results, expected, strict=True):
                where = f"{case.operator} {call} {dtype}"
                assert have.shape == want.shape, where
                assert np.dtype(have.dtype).name == (case.dtype or dtype), where
                tolerance = case.accepted(dtype)
                np.testing.assert_allclose(
                    have.asnumpy().astype("float64"),
                    want,
                    rtol=tolerance,
                    atol=tolerance,
                    err_msg=where,
                )


def test_inputs_are_left_alone(case):
    for call in case.calls:
        arrays = arrays_of(case, case.draw(call), case.dtypes[0])
        before = [a.asnumpy() for a in arrays]
        getattr(nd, case.operator)(*arrays, **call.attrs)
        for have, want in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(have.asnumpy(), want)


def smooth_function(case, call, inputs):
    """Return the operator as a function of the inputs in which it is smooth, and these inputs."""
    positions = range(len(inputs)) if case.smooth is None else case.smooth
    fixed = {
        i: nd.array(x, dtype="float32" if i in case.free else "float64")
        for i, x in enumerate(inputs)
        if i not in positions
    }

    def function(*moving):
        given = iter(moving)
        everything = [fixed[i] if i in fixed else next(given) for i in range(len(inputs))]
        return getattr(nd, case.operator)(*everything, **call.attrs)

    return function, [inputs[i] for i in positions]


def smooth_calls(case):
    if case.smooth == () or "float64" not in case.dtypes:
        return []
    return [call for call in case.calls if is_filled(call) and call.attrs.get("ret_typ") != "mask"]


def test_gradients_match_finite_differences(case):
    for call in smooth_calls(case):
        # The last draw only: another seed would repeat what the shapes already vary.
        function, inputs = smooth_function(case, call, case.draw(call, seed=1))
        check_gradients(function, inputs, order=case.order, rtol=2e-5, atol=2e-6)


def test_gradient_requests(case):
    for call in smooth_calls(case)[:1]:
        function, inputs = smooth_function(case, call, case.draw(call, seed=2))
        check_requests(function, inputs)


def test_compute_honours_requests(case):
    """Test rows that compute in Python: write overwrites, add accumulates, null does nothing."""
    prop_class = lookup(case.operator).prop_class
    if prop_class.compose is not None or prop_class.elementwise_kernel is not None:
        return
    for call in case.calls:
        attrs = dict(call.attrs)
        if prop_class.variadic:
            attrs[prop_class.variadic] = len(call.shapes)
        prop = prop_class(**attrs)
        dtype = [dtype for dtype in case.dtypes if not dtype.endswith("float16")][-1]
        inputs = case.draw(call)
        results = as_tuple(
            getattr(nd, case.operator)(*arrays_of(case, inputs, dtype), **call.attrs)
        )
        for req, scale in (("write", 0), ("inplace", 0), ("add", 1), ("null", None)):
            outs = [nd.full(r.shape, 3, dtype=r.dtype) for r in results]
            prop.compute(arrays_of(case, inputs, dtype), outs, [req] * len(outs), 0)
            for have, fresh in zip(outs, results, strict=True):
                want = np.full(fresh.shape, 3.0) if scale is None else fresh.asnumpy() + 3.0 * scale
                np.testing.assert_allclose(
                    have.asnumpy(), want, rtol=1e-6, err_msg=f"{case.operator} {call} {req}"
                )


def test_inferred_shapes_match(case):
    prop_class = lookup(case.operator).prop_class
    for call in case.calls:
        attrs = dict(call.attrs)
        if prop_class.variadic:
            attrs[prop_class.variadic] = len(call.shapes)
        inputs, outputs, _ = prop_class(**attrs).infer_shape([list(s) for s in call.shapes])
        results = as_tuple(
            getattr(nd, case.operator)(
                *arrays_of(case, case.draw(call), case.dtypes[0]), **call.attrs
            )
        )
        assert [tuple(s) for s in inputs] == [tuple(s) for s in call.shapes]
        assert [tuple(s) for s in outputs] == [r.shape for r in results]


def test_out_is_written_and_returned(case):
    call = next(call for call in case.calls if is_filled(call))
    arrays = arrays_of(case, case.draw(call), case.dtypes[0])
    results = as_tuple(getattr(nd, case.operator)(*arrays, **call.attrs))
    outs = [nd.full(r.shape, 7, dtype=r.dtype) for r in results]
    arrays = arrays_of(case, case.draw(call), case.dtypes[0])
    given = outs[0] if len(outs) == 1 else outs
    returned = as_tuple(getattr(nd, case.operator)(*arrays, out=given, **call.attrs))
    for have, out, want in zip(returned, outs, results, strict=True):
        assert have is out
        np.testing.assert_array_equal(out.asnumpy(), want.asnumpy())
