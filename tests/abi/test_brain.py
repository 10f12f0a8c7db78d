"""The header `opforge/brain.h`: conversions on every instruction set, and products."""

import shutil

import ml_dtypes
import numpy as np
import pytest

from opforge.base.instruction_sets import ISA_FLAGS
from opforge.native.threads import cpu

from .compiled import call, compile_source, load_source

SOURCE = """
#include <opforge/brain.h>
#ifdef __cplusplus
extern "C" {
#endif
void widen(const uint16_t* x, float* y, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = of_brain_to_float(x[i]);
}

void narrow(const float* x, uint16_t* y, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = of_float_to_brain(x[i]);
}

int has_products(void) { return opforge_has_brain_products(); }

void multiply(int64_t vectors, const uint16_t* a, int64_t lda, const uint16_t* panel, int64_t pairs,
              float* sums, int64_t m) {
#ifdef OF_BRAIN_PRODUCTS
    of_fetch rows = of_fetch_rows(a, 2 * lda, m, 4 * pairs, of_brain_fetches(vectors, pairs, m));
    of_brain_rows(vectors, a, lda, panel, pairs, sums, m, pairs % 2 ? NULL : &rows);
#else
    (void)vectors, (void)a, (void)lda, (void)panel, (void)pairs, (void)sums, (void)m;
#endif
}

void round_pairs(const float* x, uint16_t* y) {
#ifdef OF_BRAIN_PRODUCTS
    _mm512_storeu_si512(y, of_round_pairs(of_load_f32v(x), of_load_f32v(x + 16)));
#else
    (void)x, (void)y;
#endif
}
#ifdef __cplusplus
}
#endif
"""


@pytest.fixture(scope="module", params=ISA_FLAGS)
def library(request, c_compiler, tmp_path_factory):
    """Return the functions, compiled for one instruction set of this machine."""
    if request.param not in cpu.supported():
        pytest.skip(f"this processor does not support {request.param}")
    return load_source(SOURCE, c_compiler, request.param, tmp_path_factory.mktemp("brain"))


@pytest.fixture
def products(library):
    """Return the functions if they can multiply here."""
    if not library.has_products():
        pytest.skip("no kernel for products of pairs on this processor and instruction set")
    return library


def test_every_value_is_converted(library):
    bits = np.arange(1 << 16, dtype=np.uint16)
    wide = np.zeros(bits.size, np.float32)
    call(library.widen, bits, wide, bits.size)
    want = bits.view(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(wide.view(np.uint32), want.view(np.uint32))


def test_floats_are_rounded_to_nearest_even(library):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 1 << 32, 100_000, dtype=np.uint64).astype(np.uint32)
    # Ties, numbers next to them, the largest numbers, infinities and NaN.
    high = np.arange(1 << 16, dtype=np.uint32) << 16
    x = np.concatenate([x, *(high | low for low in (0x7FFF, 0x8000, 0x8001))]).view(np.float32)
    y = np.zeros(x.size, np.uint16)
    call(library.narrow, x, y, x.size)
    with np.errstate(all="ignore"):  # NaN with a payload, and overflow
        want = x.astype(ml_dtypes.bfloat16).view(np.uint16)
    np.testing.assert_array_equal(np.isnan(x), (y & 0x7FFF) > 0x7F80)
    np.testing.assert_array_equal(y[~np.isnan(x)], want[~np.isnan(x)])


@pytest.mark.parametrize("vectors", [1, 2, 3, 4])
@pytest.mark.parametrize("m", [1, 2, 5, 6, 7, 8, 13, 14, 15, 27])
def test_rows_are_multiplied_with_panels(products, vectors, m):
    rng = np.random.default_rng(m)
    pairs, columns = 5, 16 * vectors
    a = rng.normal(size=(m, 2 * pairs + 6)).astype(ml_dtypes.bfloat16)
    b = rng.normal(size=(2 * pairs, columns)).astype(ml_dtypes.bfloat16)
    panel = b.reshape(pairs, 2, columns).swapaxes(1, 2).copy()
    sums = np.ones((m + 1, columns), np.float32)
    call(products.multiply, vectors, a, a.shape[1], panel, pairs, sums, m)
    want = 1 + a[:, : 2 * pairs].astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(sums[:m], want, 1e-5, 1e-5)
    assert (sums[m] == 1).all()


def test_two_vectors_are_rounded(products):
    x = np.random.default_rng(0).normal(size=32).astype(np.float32)
    x[3:7] = np.inf, -np.inf, np.nan, 3.4e38
    y = np.zeros(32, np.uint16)
    call(products.round_pairs, x, y)
    want = x.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(y.view(ml_dtypes.bfloat16).astype(np.float32), want)


@pytest.mark.parametrize("isa", ISA_FLAGS)
def test_the_header_is_valid_cpp(isa, tmp_path):
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    options = ["-std=c++17", "-x", "c++", "-c", *ISA_FLAGS[isa], "-o", tmp_path / "brain.o"]
    compile_source(SOURCE, ["g++"], *options)
