"""The headers `opforge/simd.h` and `opforge/tile.h`: every function on every instruction set."""

import ctypes
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from opforge.base.instruction_sets import ISA_FLAGS
from opforge.native.threads import cpu

from .compiled import call, compile_source, load_source

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "write_a_fast_kernel.md"
#: Exported functions of one type: @T is float or double, @s the suffix f32 or f64.
SOURCE = """
enum { LANES_@s = OF_LANES_@sv };
int lanes_@s(void) { return LANES_@s; }

#define MAP(name, scalar, vector) \\
    void scalar_##name##_@s(const @T* p, const @T* q, @T* to, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) { \\
            const @T x = p[i], y = q[i]; \\
            (void)x, (void)y; \\
            to[i] = scalar; \\
        } \\
    } \\
    void vector_##name##_@s(const @T* p, const @T* q, @T* to, int64_t n) { \\
        for (int64_t i = 0; i < n; i += LANES_@s) { \\
            of_@sv x = of_load_some_@sv(p + i, n - i), y = of_load_some_@sv(q + i, n - i); \\
            (void)x, (void)y; \\
            of_store_some_@sv(to + i, vector, n - i); \\
        } \\
    }
MAP(exp, of_exp_@s(x), of_exp_@sv(x))
MAP(exp2_scaled, of_exp2_scaled_@s(x, (@T)1.5), of_exp2_scaled_@sv(x, (@T)1.5))
MAP(exp_fall, of_exp_fall_@s(x), of_exp_fall_@sv(x))
MAP(exp_decay, of_exp_decay_@s(x), of_exp_decay_@sv(x))
MAP(sigmoid, of_sigmoid_@s(x), of_sigmoid_@sv(x))
MAP(tanh, of_tanh_@s(x), of_tanh_@sv(x))
MAP(abs, of_from_bits_@s(of_bits_@s(x) << 1 >> 1), of_abs_@sv(x))
MAP(copysign, (x < 0) == (y < 0) ? x : -x, of_copysign_@sv(x, y))
MAP(select, x < y ? y : 2 * x, of_select_@sv(x < y, y, 2 * x))
MAP(max, x > y ? x : y, of_max_@sv(x, y))
MAP(madd, OF_MADD(x, y, x), of_madd_@sv(x, y, x))
MAP(splat, 3, of_splat_@sv(3))
#undef MAP

@T sum_@s(const @T* x) { return of_sum_@sv(of_load_@sv(x)); }

void transpose_@s(const @T* x, @T* y) {
    of_@sv rows[LANES_@s];
    for (int i = 0; i < LANES_@s; i++) rows[i] = of_load_@sv(x + i * LANES_@s);
    of_transpose_@sv(rows);
    for (int i = 0; i < LANES_@s; i++) of_store_@sv(y + i * LANES_@s, rows[i]);
}

void shuffle_@s(const @T* x, const int* which, @T* y) {
    of_mask_@sv lanes;
    for (int i = 0; i < LANES_@s; i++) lanes[i] = which[i];
    of_store_@sv(y, of_shuffle_@sv(of_load_@sv(x), of_load_@sv(x + LANES_@s), lanes));
}

OF_INLINE void tile_@s(const int rows, const int vectors, int64_t depth, const @T* a,
                       int64_t a_row, int64_t a_step, const @T* b, int64_t b_step,
                       int64_t b_vector, @T* out) {
    of_@sv sums[OF_TILE_SUMS] = {{0}};
    if (rows > OF_TILE_ROWS(vectors)) return;
    of_add_products_@sv(rows, vectors, depth, a, a_row, a_step, b, b_step, b_vector, sums);
    for (int i = 0; i < rows * vectors; i++) of_store_@sv(out + i * LANES_@s, sums[i]);
}

OF_INLINE void dot_tile_@s(const int rows, const int columns, int64_t n, const @T* a,
                           const @T* b, @T* out) {
    const @T *left[OF_TILE_SUMS] = {0}, *right[4] = {0};
    of_@sv sums[OF_TILE_SUMS] = {{0}};
    if (rows > OF_TILE_ROWS(columns)) return;
    for (int i = 0; i < rows; i++) left[i] = a + i * n;
    for (int j = 0; j < columns; j++) right[j] = b + j * n;
    of_add_dots_@sv(rows, columns, n, left, right, sums);
    for (int i = 0; i < rows * columns; i++) out[i] = of_sum_@sv(sums[i]);
}

#define CASE(rows) \\
    case rows: \\
        if (vectors == 1) TILE(rows, 1); \\
        if (vectors == 2) TILE(rows, 2); \\
        if (vectors == 3) TILE(rows, 3); \\
        if (vectors == 4) TILE(rows, 4); \\
        break;
void products_@s(int rows, int vectors, int64_t depth, const @T* a, int64_t a_row, int64_t a_step,
                 const @T* b, int64_t b_step, int64_t b_vector, @T* out) {
#define TILE(rows, vectors) \\
    tile_@s(rows, vectors, depth, a, a_row, a_step, b, b_step, b_vector, out)
    switch (rows) { OF_EACH_TILE(CASE) }
#undef TILE
}

void dots_@s(int rows, int vectors, int64_t n, const @T* a, const @T* b, @T* out) {
#define TILE(rows, columns) dot_tile_@s(rows, columns, n, a, b, out)
    switch (rows) { OF_EACH_TILE(CASE) }
#undef TILE
}
#undef CASE
"""
#: Exported functions of float32 only, and of tiles.
FLOAT32 = """
int most_rows(int vectors) { return OF_TILE_ROWS(vectors); }
int64_t tile_count(int64_t rows, int64_t vectors) { return of_tile_count(rows, vectors); }
int64_t tile_begin(int64_t rows, int64_t tiles, int64_t tile) {
    return of_tile_begin(rows, tiles, tile);
}

void load_lanes(const float* x, int64_t step, int from, int to, float* y) {
    of_store_f32v(y, of_load_lanes_f32v(of_splat_f32v(-1), x - from * step, step, from, to));
}

void larger(const int32_t* x, int32_t* y) {
    of_mask_f32v a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, x + OF_LANES_f32v, sizeof b);
    a = of_larger_f32v(a, b);
    memcpy(y, &a, sizeof a);
}

void sums(const float* x, float* y) {
    of_f32v v[4];
    for (int i = 0; i < 4; i++) v[i] = of_load_f32v(x + i * OF_LANES_f32v);
    of_sums_f32v(v, y);
}

void load_quads(const float* x, const int32_t* offsets, float* y) {
    of_f32v v[4];
    of_load_quads_f32v(v, x, offsets);
    for (int i = 0; i < 4; i++) of_store_f32v(y + i * OF_LANES_f32v, v[i]);
}

void quad(const float* x, int i, float* y) {
    of_quad v = of_quad_f32v(of_load_f32v(x), i);
    memcpy(y, &v, sizeof v);
}
"""


def program():
    """Return the source, for C and C++."""
    parts = ["#include <opforge/tile.h>", '#ifdef __cplusplus\nextern "C" {\n#endif']
    for name, suffix, fused in (("float", "f32", "OF_FMAF"), ("double", "f64", "OF_FMA")):
        text = SOURCE.replace("@T", name).replace("@s", suffix).replace("OF_MADD", fused)
        parts.append(text)
    return "\n".join([*parts, FLOAT32, "#ifdef __cplusplus\n}\n#endif\n"])


@pytest.fixture(scope="module", params=ISA_FLAGS)
def library(request, c_compiler, tmp_path_factory):
    """Return the functions, compiled for one instruction set of this machine."""
    if request.param not in cpu.supported():
        pytest.skip(f"this processor does not support {request.param}")
    return load_source(program(), c_compiler, request.param, tmp_path_factory.mktemp("simd"))


@pytest.fixture(params=["f32", "f64"])
def suffix(request):
    """Return the suffix of a type."""
    return request.param


def dtype_of(suffix):
    return np.dtype({"f32": np.float32, "f64": np.float64}[suffix])


def mapped(library, kind, name, suffix, x, y=None):
    """Return the results, after a check that nothing around them is written."""
    out = np.full(x.size + 16, 77, x.dtype)
    function = getattr(library, f"{kind}_{name}_{suffix}")
    call(function, x, x if y is None else y, out[8:], x.size)
    assert (out[:8] == 77).all() and (out[8 + x.size :] == 77).all()
    return out[8 : 8 + x.size]


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


#: The exact function, the range of arguments, and the largest error in ulp for each type.
FUNCTIONS = {
    "exp": (np.exp, (-760, 760), (2, 1.5)),
    "exp_fall": (np.exp, (-100, 0), (2, 1.5)),
    "exp_decay": (lambda x: np.exp(-np.abs(x)), (-760, 760), (2, 1.5)),
    "sigmoid": (sigmoid, (-760, 760), (3, 3)),
    "tanh": (np.tanh, (-760, 760), (3, 3)),
}


def arguments(low, high, dtype):
    """Return numbers of the whole range, and of ranges that are ten times smaller."""
    parts = [np.linspace(low / 10**k, high / 10**k, 40_001) for k in range(6)]
    return np.concatenate(parts).astype(dtype)


def errors(got, exact):
    """Return the errors of finite results in units in the last place."""
    rounded = exact.astype(got.dtype)
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(rounded))
    finite = np.isfinite(rounded)
    unit = np.spacing(np.abs(rounded[finite])).astype(exact.dtype)
    return np.abs(got[finite].astype(exact.dtype) - exact[finite]) / unit


@pytest.mark.parametrize("kind", ["scalar", "vector"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementary_functions_are_accurate(library, suffix, name, kind):
    exact, (low, high), limits = FUNCTIONS[name]
    x = arguments(low, high, dtype_of(suffix))
    wide = np.float64 if suffix == "f32" else np.longdouble
    with np.errstate(all="ignore"):
        worst = errors(mapped(library, kind, name, suffix, x), exact(x.astype(wide))).max()
    assert worst <= limits[suffix == "f64"]


@pytest.mark.parametrize("kind", ["scalar", "vector"])
def test_scaled_powers_of_2_are_accurate(library, suffix, kind):
    """Without fused operations, the rounding error of the product is part of the result's."""
    low, high = {"f32": (-101, 68), "f64": (-718, 640)}[suffix]
    x = arguments(low, high, dtype_of(suffix))
    got = mapped(library, kind, "exp2_scaled", suffix, x)
    found = errors(got, np.exp2(x.astype(np.longdouble) * 1.5))
    assert (found <= 2 + np.abs(x) * 1.5).all()
    below = np.array([-np.inf, -1e4, np.nan, 0], x.dtype)
    expected = np.array([0, 0, np.nan, 1], x.dtype)
    np.testing.assert_array_equal(mapped(library, kind, "exp2_scaled", suffix, below), expected)


@pytest.mark.parametrize("kind", ["scalar", "vector"])
@pytest.mark.parametrize("name", ["exp", "exp_decay", "sigmoid", "tanh"])
def test_special_arguments_have_the_usual_results(library, suffix, name, kind):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype_of(suffix))
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name][0](x)
    got = mapped(library, kind, name, suffix, x)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got[:2]), np.signbit(expected[:2]))


def test_every_remainder_of_a_vector_is_loaded_and_stored(library, suffix):
    lanes = getattr(library, f"lanes_{suffix}")()
    rng = np.random.default_rng(3)
    for n in range(3 * lanes + 1):
        x = rng.normal(size=n).astype(dtype_of(suffix))
        np.testing.assert_array_equal(mapped(library, "vector", "abs", suffix, x), np.abs(x))


@pytest.mark.parametrize("name", ["abs", "copysign", "select", "max", "madd", "splat"])
def test_vectors_equal_scalars(library, suffix, name):
    x, y = np.random.default_rng(4).normal(size=(2, 1000)).astype(dtype_of(suffix))
    expected = mapped(library, "scalar", name, suffix, x, y)
    got = mapped(library, "vector", name, suffix, x, y)
    np.testing.assert_array_equal(got, expected)


def test_max_returns_its_second_argument_for_nan(library, suffix):
    x = np.array([np.nan, 1, np.nan], dtype_of(suffix))
    y = np.array([2, np.nan, np.nan], dtype_of(suffix))
    np.testing.assert_array_equal(mapped(library, "vector", "max", suffix, x, y), y)


def test_lanes_are_summed_transposed_and_shuffled(library, suffix):
    dtype, lanes = dtype_of(suffix), getattr(library, f"lanes_{suffix}")()
    rng = np.random.default_rng(5)
    square = rng.integers(-99, 99, (lanes, lanes)).astype(dtype)
    total = getattr(library, f"sum_{suffix}")
    total.restype = np.ctypeslib.as_ctypes_type(dtype)
    assert total(square.ctypes.data_as(ctypes.c_void_p)) == square[0].sum()
    out = np.zeros_like(square)
    call(getattr(library, f"transpose_{suffix}"), square, out)
    np.testing.assert_array_equal(out, square.T)
    which = rng.integers(0, 2 * lanes, lanes).astype(np.intc)
    call(getattr(library, f"shuffle_{suffix}"), square, which, out)
    np.testing.assert_array_equal(out[0], square[:2].ravel()[which])


def test_products_of_every_tile(library, suffix):
    dtype, lanes = dtype_of(suffix), getattr(library, f"lanes_{suffix}")()
    rng, depth = np.random.default_rng(6), 5
    for vectors in range(1, 5):
        for rows in range(1, library.most_rows(vectors) + 1):
            a = rng.integers(-9, 9, (rows, depth)).astype(dtype)
            b = rng.integers(-9, 9, (vectors, depth, lanes)).astype(dtype)
            expected = np.einsum("rk,vkl->rvl", a, b)
            for left, strides in ((a, (depth, 1)), (np.ascontiguousarray(a.T), (1, rows))):
                out = np.zeros_like(expected)
                function = getattr(library, f"products_{suffix}")
                call(function, rows, vectors, depth, left, *strides, b, lanes, depth * lanes, out)
                np.testing.assert_array_equal(out, expected)


def test_dot_products_of_every_tile(library, suffix):
    dtype, n = dtype_of(suffix), 3 * getattr(library, f"lanes_{suffix}")()
    rng = np.random.default_rng(7)
    for columns in range(1, 5):
        for rows in range(1, library.most_rows(columns) + 1):
            a, b = (rng.integers(-9, 9, (m, n)).astype(dtype) for m in (rows, columns))
            out = np.zeros((rows, columns), dtype)
            call(getattr(library, f"dots_{suffix}"), rows, columns, n, a, b, out)
            np.testing.assert_array_equal(out, a @ b.T)


def test_rows_are_distributed_over_the_fewest_tiles(library):
    for vectors in range(1, 5):
        most = library.most_rows(vectors)
        for rows in range(1, 3 * most):
            tiles = library.tile_count(rows, vectors)
            begins = [library.tile_begin(rows, tiles, tile) for tile in range(tiles + 1)]
            sizes = np.diff(begins)
            assert (tiles, begins[0], begins[-1]) == (-(-rows // most), 0, rows)
            assert sizes.min() >= sizes.max() - 1 and sizes.max() <= most


@pytest.mark.parametrize("step", [1, 2, 3])
def test_ranges_of_lanes_are_loaded(library, step):
    lanes = library.lanes_f32()
    for first in range(lanes):
        for last in range(first + 1, lanes + 1):
            x = np.arange((last - first - 1) * step + 1, dtype=np.float32)
            out = np.zeros(lanes, np.float32)
            call(library.load_lanes, x, step, first, last, out)
            expected = np.full(lanes, -1, np.float32)
            expected[first:last] = x[::step]
            np.testing.assert_array_equal(out, expected)


def test_vectors_of_float32_are_rearranged(library):
    lanes = library.lanes_f32()
    rng = np.random.default_rng(8)
    x = rng.integers(-99, 99, (4, lanes)).astype(np.float32)
    four = np.zeros(4, np.float32)
    call(library.sums, x, four)
    np.testing.assert_array_equal(four, x.sum(axis=1))
    for i in range(lanes // 4):
        call(library.quad, x, i, four)
        np.testing.assert_array_equal(four, x[0, 4 * i : 4 * i + 4])
    source = rng.normal(size=100).astype(np.float32)
    offsets = rng.integers(0, 96, lanes).astype(np.int32)
    out = np.zeros_like(x)
    call(library.load_quads, source, offsets, out)
    np.testing.assert_array_equal(out, source[offsets + np.arange(4)[:, None]])
    pairs = rng.integers(-99, 99, (2, lanes)).astype(np.int32)
    most = np.zeros(lanes, np.int32)
    call(library.larger, pairs, most)
    np.testing.assert_array_equal(most, pairs.max(axis=0))


#: Compilers and targets that the headers are compiled with; nothing is run.
COMPILERS = {
    "g++ -std=c++11": ["g++", "-std=c++11", "-x", "c++"],
    "g++ -std=c++17": ["g++", "-std=c++17", "-x", "c++"],
    "gcc": ["gcc", "-x", "c"],
    "gcc for Arm": ["aarch64-linux-gnu-gcc", "-std=c11", "-x", "c"],
    "gcc for RISC-V": ["riscv64-linux-gnu-gcc", "-std=c11", "-x", "c"],
    "clang": ["clang", "-std=c11", "-x", "c"],
    "clang++": ["clang++", "-std=c++17", "-x", "c++"],
    "clang for Arm": ["zig", "cc", "-target", "aarch64-linux-gnu", "-x", "c"],
    "clang for RISC-V": ["zig", "cc", "-target", "riscv64-linux-gnu", "-x", "c"],
}


@pytest.mark.parametrize("name", COMPILERS)
def test_other_compilers_accept_the_headers(name, tmp_path):
    command, *options = COMPILERS[name]
    if not shutil.which(command):
        pytest.skip(f"{command} is not installed")
    compile_source(program(), [command, *options], "-c", "-o", tmp_path / "simd.o")


def test_the_code_of_the_guide_compiles(c_compiler):
    code = "".join(re.findall(r"```c\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL))
    options = ["-Wno-unused-function", "-x", "c", "-fsyntax-only"]
    compile_source(code, c_compiler, *options)
