"""Elementary functions of integers and conversions to integers, on all instruction sets."""

import hashlib
import json
import math

import numpy as np
import pytest

from opforge import nd, std
from opforge.base.dtypes import NAMES, dtype_of
from opforge.native import calls

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

INTEGERS = ("uint8", "int8", "int32", "int64")


def arguments_near_integer_results():
    """Return powers, rounded function values and their neighbors, where the last place matters."""
    found = set(range(-300, 300))
    for k in range(44):
        for value in (math.exp(k), math.sinh(k), 2.0**k, 10.0 ** min(k, 18), k**2, k**3):
            found.update(round(value) + d for d in (-1, 0, 1))
    return np.array(sorted(found | {-value for value in found}), np.int64)


def floats_of_all_sizes():
    powers = np.float64(2.0) ** np.array([7, 8, 15, 16, 31, 32, 53, 62, 63, 64, 100])
    values = [*powers, *(powers - 1), *(powers * 1.5), 0.5, 1.5, 127.9, 255.5, np.inf]
    return np.array([np.nan, *values, *(-np.array(values))])


def kernels(kind):
    pairs = {row.elementwise_kernel for row in std.ROWS} - {None}
    return sorted(name for one, name in pairs if one == kind)


def digests():
    """Return a digest for each function and type, and for each conversion."""
    found = {}

    def note(key, out):
        found[" ".join(key)] = hashlib.sha256(out.asnumpy().tobytes()).hexdigest()[:16]

    arguments = arguments_near_integer_results()
    random = np.random.default_rng(5)
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        values = arguments[(arguments >= limits.min) & (arguments <= limits.max)]
        x, out = nd.array(values, dtype=dtype), nd.zeros(values.shape, dtype=dtype)
        other = nd.array(random.permutation(values), dtype=dtype)
        for name in kernels("unary"):
            calls.unary(name, x, out)
            note((name, dtype), out)
        for name in kernels("binary"):
            calls.binary(name, x, other, out)
            note((name, dtype), out)
    with np.errstate(all="ignore"):
        for source in ("float16", "float32", "float64"):
            x = nd.array(floats_of_all_sizes().astype(source), dtype=source)
            for target in DTYPES[3:]:
                note((source, "to", np.dtype(target).name), x.astype(target))
    return found


def test_all_instruction_sets_give_the_same_results(instruction_sets, run_on):
    here = digests()
    assert len(here) > 4 * 50
    for isa in instruction_sets:
        there = json.loads(run_on(isa, __file__))
        assert not {key: isa for key in here if here[key] != there[key]}


def test_integer_results_are_exact():
    for dtype, last in (("int32", 13), ("int64", 21), ("float64", 21)):
        found = nd.gamma(nd.array(np.arange(1, last + 1), dtype=dtype)).asnumpy()
        assert found.tolist() == [math.factorial(n) for n in range(last)]
    x = nd.array(np.arange(44), dtype="int64")
    exps = [int(math.exp(n)) for n in range(36)]
    assert nd.exp(x).asnumpy().tolist()[:36] == exps
    assert nd.exp(x).asnumpy()[40] == 235385266837020000
    assert nd.expm1(x).asnumpy().tolist()[:36] == [max(n - 1, 0) for n in exps]
    assert nd.exp(-x).asnumpy().tolist()[1:] == nd.expm1(-x).asnumpy().tolist()[1:] == [0] * 43


def test_results_out_of_range_wrap_from_int64_or_are_its_minimum():
    assert nd.exp(nd.array([40], dtype="int8")).asscalar() == np.int64(235385266837020000).astype(
        "i1"
    )
    assert nd.exp(nd.array([44], dtype="int64")).asscalar() == np.iinfo(np.int64).min
    assert nd.exp(nd.array([100], dtype="uint8")).asscalar() == 0  # the low byte of that
    assert nd.array([300.5, -1.5, np.nan]).astype("uint8").asnumpy().tolist() == [44, 255, 0]
    assert nd.array([3e9]).astype("int32").asscalar() == np.iinfo(np.int32).min


@pytest.mark.parametrize("x", [0, -1, 22])
def test_gamma_that_does_not_fit_int64(x):
    assert nd.gamma(nd.array([x], dtype="int64")).asscalar() == np.iinfo(np.int64).min


if __name__ == "__main__":
    print(json.dumps(digests()))
