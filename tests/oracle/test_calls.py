"""Operators of the plugins over grids of attributes: values and gradients against MXNet's."""

import importlib
import pkgutil
from contextlib import nullcontext

import numpy as np
import pytest

from opforge import autograd, nd

from . import calls

TABLES = sorted(
    module.name for module in pkgutil.iter_modules(calls.__path__) if module.name != "call"
)
#: Tolerances for values between -4 and 4, by type.
TOLERANCES = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-9}


def drawn(given, dtype, rng):
    if isinstance(given, np.ndarray):
        return given
    value = given(rng) if callable(given) else rng.standard_normal(given)
    return np.asarray(value).astype(dtype)


def run(call, inputs, draw):
    """Return outputs, gradients, and the output gradients that were drawn for them."""
    function = nd
    for part in call.name.split("."):
        function = getattr(function, part)
    arrays = [nd.array(x, dtype=x.dtype) for x in inputs]
    for at in call.smooth:
        arrays[at].attach_grad()
    # Some of MXNet's operators cannot be recorded.
    with autograd.record() if call.smooth else nullcontext():
        outputs = function(*arrays, **call.attributes)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    heads = [draw(output.shape).astype(output.dtype) for output in outputs] if call.smooth else []
    if call.smooth:
        autograd.backward(outputs, [nd.array(head, dtype=head.dtype) for head in heads])
    found = {f"out:{at}": output.asnumpy() for at, output in enumerate(outputs)}
    found |= {f"grad:{at}": arrays[at].grad.asnumpy() for at in call.smooth}
    return {**found, "heads": heads}


@pytest.mark.parametrize("table", TABLES)
def test_calls(oracle, tmp_path, table):
    rng = np.random.default_rng(5)
    module = importlib.import_module(f"{calls.__name__}.{table}")
    wanted = [(call, dtype) for call in module.CALLS for dtype in call.dtypes]
    arrays, have = {}, []
    for number, (call, dtype) in enumerate(wanted):
        inputs = [drawn(given, dtype, rng) for given in call.inputs]
        arrays |= {f"{number}:in:{at}": x for at, x in enumerate(inputs)}

        have.append(run(call, inputs, lambda shape, dtype=dtype: drawn(shape, dtype, rng)))
        heads = have[-1].pop("heads")
        arrays |= {f"{number}:head:{at}": head for at, head in enumerate(heads)}
    np.savez(tmp_path / "arrays.npz", **arrays)
    request = [(call.name, call.attributes, call.smooth) for call, _ in wanted]
    onednn = getattr(module, "ONEDNN", False)
    assert oracle("calls", {"calls": request, "onednn": onednn}) == "done"
    theirs = np.load(tmp_path / "results.npz")
    for number, (call, dtype) in enumerate(wanted):
        tolerance = max(TOLERANCES[dtype], call.tolerance or 0)
        for key, ours in have[number].items():
            expected = theirs[f"{number}:{key}"]
            message = f"{call} {dtype} {key}"
            assert ours.shape == expected.shape and ours.dtype == expected.dtype, message
            np.testing.assert_allclose(
                ours, expected, rtol=tolerance, atol=tolerance, err_msg=message
            )
