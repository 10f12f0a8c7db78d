"""Random numbers from the calling thread's seeded stream, reproducible for any number of threads.

A stream is a key derived from the seed and a counter of used batches (see `threads.random_streams`).
Each call reserves a range of the counter; elements depend on key and counter only, not on the thread
that computes them.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport (
    INFINITY, NAN, exp, floor, isfinite, isnan, log, nextafter, nextafterf, pow, sqrt,
)
from libc.stdint cimport int64_t, uint32_t, uint64_t

from opforge.native.array.array cimport Array, new_array, wait_write
from opforge.native.array.output cimport req_code, settle
from opforge.native.kernels.random cimport (
    OPFORGE_BATCH, opforge_fill_fn, opforge_philox, opforge_random_table,
)
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.elementwise cimport BINARY_lesser, run_binary_scalar
from opforge.native.memory.types cimport F32, F64, I64, REQ_NULL, REQ_WRITE, itemsize_of
from opforge.native.threads.parallel cimport enter_stoppable, leave_stoppable, parallel_for
from opforge.native.threads.random_streams cimport advance, stream_key

from opforge.base.errors import AttributeValueError, ShapeError
from opforge.native.kernels import isa as _isa
from opforge.native.calls.indexing import take
from opforge.native.threads.random_streams import get_state, seed, set_state

__all__ = [
    "bernoulli", "exponential", "gamma", "get_state", "normal", "permutation", "poisson", "randint",
    "rows", "seed", "set_state", "shuffle", "uniform",
]

cdef extern from "opforge_lgamma.h" nogil:
    double opforge_lgamma(double x)

ctypedef fused number:
    float
    double

cdef enum:                             # distributions that are drawn by rejection
    GAMMA
    POISSON
    NEGATIVE_BINOMIAL
    GENERALIZED_NEGATIVE_BINOMIAL

KINDS = {
    "gamma": GAMMA,
    "poisson": POISSON,
    "negative_binomial": NEGATIVE_BINOMIAL,
    "generalized_negative_binomial": GENERALIZED_NEGATIVE_BINOMIAL,
}

cdef enum:
    HALF = OPFORGE_BATCH // 2          # 64-bit elements of a batch
    GROUP = 16                         # elements that share a stream, whose batches serve several
    GRAIN = 4096                       # minimum elements per thread

cdef opforge_random_table* kernels = <opforge_random_table*>PyCapsule_GetPointer(
    _isa.table("random"), b"opforge.kernels.random"
)
cdef struct Fill:
    opforge_fill_fn fn
    char* y
    Py_ssize_t size, batch, item       # number of elements, elements per batch, bytes of an element
    uint64_t key, first
    double a, b

cdef struct Integers:
    int64_t* y
    Py_ssize_t size
    uint64_t key, first, width
    int64_t low

cdef struct Draw:                      # draws by rejection, each group of them from its own stream
    double* y
    Py_ssize_t size, each              # number of elements, and of those with the same parameters
    uint64_t key, first
    const double* a
    const double* b
    int kind

cdef struct Scaling:                   # standard numbers to those of given parameters
    char* y
    Py_ssize_t each
    const double* a
    const double* b
    bint is_f64, below                 # whether results stay below a + b

cdef struct Source:                    # stream of uniform numbers for one group of elements
    uint64_t key, group, attempt
    uint32_t[OPFORGE_BATCH] words
    int used
    double normal                      # spare variate of the polar method, or NAN


cdef void fill_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Fill* t = <Fill*>arg
    cdef Py_ssize_t start = begin * t.batch
    t.fn(t.y + start * t.item, min(t.size, end * t.batch) - start, t.key, t.first + begin, t.a, t.b)


cdef int fill(opforge_fill_fn* fns, double a, double b, Array target) except -1:
    """Fill a float32 or float64 array."""
    cdef Fill t
    cdef Py_ssize_t batches
    cdef bint is_f64 = target.code == F64
    t.fn, t.y, t.size, t.item = fns[is_f64], target.data, target.size, itemsize_of(target.code)
    t.batch = OPFORGE_BATCH // 2 if is_f64 else OPFORGE_BATCH
    batches = (t.size + t.batch - 1) // t.batch
    t.key, t.first, t.a, t.b = stream_key(), advance(batches), a, b
    cdef bint stoppable = enter_stoppable()
    with nogil:
        parallel_for(batches, GRAIN // OPFORGE_BATCH, fill_part, &t)
    return leave_stoppable(stoppable)


cdef int draw_into(Array out, int req, opforge_fill_fn* fns, double a, double b) except -1:
    """Fill `out` directly if it is float32 or float64, else through float32."""
    cdef Array source
    if req == REQ_NULL or out.size == 0:
        return 0
    wait_write(out)
    if req == REQ_WRITE and (out.code == F32 or out.code == F64):
        return fill(fns, a, b, out)
    source = new_array(out.shape, F64 if out.code == F64 else F32, out.context)
    fill(fns, a, b, source)
    return cast_and_store(source, out, req)


cdef int cast_and_store(Array source, Array out, int req) except -1:
    """Cast `source` to the dtype of `out` and write or add it."""
    cdef Array target = source
    if source.code != out.code:
        target = new_array(out.shape, out.code, out.context)
        with nogil:
            run_cast(source.code, out.code, source.data, target.data, source.size)
    return settle(out, target, req)


cdef int expect_positive(str function, str argument, double value, bint or_zero=False) except -1:
    # With an infinite parameter, rejection sampling would never end.
    if not (0 < value < INFINITY or (or_zero and value == 0)):
        raise AttributeValueError(
            f"{function}: {argument} is {value}, expected a value "
            f"{'of 0 or more' if or_zero else 'above 0'}{' and finite' if value == INFINITY else ''}"
        )
    return 0


def uniform(Array out not None, double low=0.0, double high=1.0, req="write"):
    """Fill `out` with uniformly distributed numbers from [low, high).

    Examples
    --------
    >>> seed(7); uniform(out, -1.0, 1.0)               # doctest: +SKIP
    """
    if not low <= high:
        raise AttributeValueError(f"uniform: low is {low}, expected at most high={high}")
    draw_into(out, req_code(req), kernels.uniform, low, high)


def normal(Array out not None, double loc=0.0, double scale=1.0, req="write"):
    """Fill `out` with normally distributed numbers of mean `loc` and standard deviation `scale`."""
    expect_positive("normal", "scale", scale, True)
    draw_into(out, req_code(req), kernels.normal, loc, scale)


cdef Array uniform_numbers(Array out):
    cdef Array source = new_array(out.shape, F64, out.context)
    fill(kernels.uniform, 0.0, 1.0, source)
    return source


def bernoulli(Array out not None, double p=0.5, req="write"):
    """Fill `out` with 1 with probability `p`, else 0."""
    cdef Array source
    if not 0 <= p <= 1:
        raise AttributeValueError(f"bernoulli: p is {p}, expected a value in [0, 1]")
    wait_write(out)
    source = new_array(out.shape, F64 if out.code == F64 else F32, out.context)
    fill(kernels.uniform, 0.0, 1.0, source)
    with nogil:
        run_binary_scalar(BINARY_lesser, source.code, source.data, p, source.data, source.size, False)
    cast_and_store(source, out, req_code(req))


cdef void integers_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Integers* t = <Integers*>arg
    cdef Py_ssize_t start = begin * HALF
    kernels.integers(
        t.y + start, min(t.size, end * HALF) - start, t.key, t.first + begin, t.low, t.width
    )


def randint(Array out not None, int64_t low, int64_t high, req="write"):
    """Fill `out` with uniformly distributed integers from [low, high)."""
    cdef Integers t
    cdef Py_ssize_t batches = (out.size + HALF - 1) // HALF
    cdef Array source
    cdef int code = req_code(req)
    if not low < high:
        raise AttributeValueError(f"randint: low is {low}, expected less than high={high}")
    wait_write(out)
    source = out if code == REQ_WRITE and out.code == I64 else new_array(out.shape, I64, out.context)
    t.y, t.size, t.low = <int64_t*>source.data, source.size, low
    t.key, t.first, t.width = stream_key(), advance(batches), <uint64_t>high - <uint64_t>low
    cdef bint stoppable = enter_stoppable()
    with nogil:
        parallel_for(batches, GRAIN // OPFORGE_BATCH, integers_part, &t)
    leave_stoppable(stoppable)
    if source is not out:
        cast_and_store(source, out, code)


def exponential(Array out not None, double scale=1.0, req="write"):
    """Fill `out` with exponentially distributed numbers of mean `scale`."""
    expect_positive("exponential", "scale", scale)
    draw_into(out, req_code(req), kernels.exponential, scale, 0.0)


cdef double next_uniform(Source* s) noexcept nogil:
    """Return the stream's next uniform number in (0, 1)."""
    if s.used + 2 > OPFORGE_BATCH:
        opforge_philox(s.key, s.group, 1 + s.attempt, s.words)
        s.attempt += 1
        s.used = 0
    s.used += 2
    return (<double>(s.words[s.used - 2] >> 5) * 67108864.0 + (s.words[s.used - 1] >> 6) + 0.5) * 1.1102230246251565e-16


cdef double next_normal(Source* s) noexcept nogil:
    """Return a normally distributed number by Marsaglia's polar method."""
    cdef double u, v, factor, square = 2
    if not isnan(s.normal):
        u, s.normal = s.normal, NAN
        return u
    while square >= 1 or square == 0:
        u, v = 2 * next_uniform(s) - 1, 2 * next_uniform(s) - 1
        square = u * u + v * v
    factor = sqrt(-2 * log(square) / square)
    s.normal = v * factor
    return u * factor


cdef double gamma_of(Source* s, double alpha) noexcept nogil:
    """Return a gamma variate by Marsaglia and Tsang's method; alpha < 1 uses alpha + 1 and rescales."""
    cdef double d, c, x, v, boost = 1
    if alpha == 0:
        return 0
    if alpha < 1:
        boost = pow(next_uniform(s), 1 / alpha)
        alpha += 1
    d = alpha - 1.0 / 3
    c = 1 / sqrt(9 * d)
    while True:
        x = next_normal(s)
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        if log(next_uniform(s)) < 0.5 * x * x + d - d * v + d * log(v):
            return d * v * boost


cdef double poisson_of(Source* s, double lam) noexcept nogil:
    """Return a Poisson variate: products of uniforms for small means, Hormann's PTRS for large ones."""
    cdef double product, limit, k, u, v, us, a, b, inverse_alpha, v_r
    if lam < 10:
        limit, product, k = exp(-lam), 1.0, -1.0
        while product > limit or k < 0:
            product *= next_uniform(s)
            k += 1
        return k
    b = 0.931 + 2.53 * sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = next_uniform(s) - 0.5, next_uniform(s)
        us = 0.5 - (u if u >= 0 else -u)
        k = floor((2 * a / us + b) * u + lam + 0.43)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if log(v) + log(inverse_alpha) - log(a / (us * us) + b) <= k * log(lam) - lam - opforge_lgamma(k + 1):
            return k


cdef double drawn(Source* s, int kind, double a, double b) noexcept nogil:
    """Return a number of a distribution with parameters in its domain, or NAN."""
    if isnan(a) or isnan(b):
        return NAN
    if kind == GAMMA:
        return gamma_of(s, a) * b
    if kind == POISSON:
        return poisson_of(s, a)
    if kind == NEGATIVE_BINOMIAL:
        return poisson_of(s, gamma_of(s, a) * (1 - b) / b)
    return poisson_of(s, gamma_of(s, 1 / b) * a * b if b > 0 else a)


cdef void draw_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Draw* t = <Draw*>arg
    cdef Source s
    cdef Py_ssize_t group, i, at
    for group in range(begin, end):
        s.key, s.group, s.attempt, s.used, s.normal = t.key, t.first + group, 0, OPFORGE_BATCH, NAN
        for i in range(group * GROUP, min((group + 1) * GROUP, t.size)):
            at = i // t.each
            t.y[i] = drawn(&s, t.kind, t.a[at], t.b[at])


cdef int draw(
    Array out, int kind, const double* a, const double* b, Py_ssize_t count, int req
) except -1:
    """Draw the elements of `out`, in rows of equal length for each of `count` pairs of parameters."""
    cdef Draw t
    cdef Array source
    cdef Py_ssize_t groups
    if req == REQ_NULL or out.size == 0:
        return 0
    wait_write(out)
    source = new_array(out.shape, F64, out.context)
    groups = (source.size + GROUP - 1) // GROUP
    t.y, t.size, t.each = <double*>source.data, source.size, source.size // count
    t.key, t.first, t.a, t.b, t.kind = stream_key(), advance(groups), a, b, kind
    cdef bint stoppable = enter_stoppable()
    with nogil:
        parallel_for(groups, 8, draw_part, &t)
    leave_stoppable(stoppable)
    return cast_and_store(source, out, req)


cdef void scale_elements(number* y, Py_ssize_t begin, Py_ssize_t end, Scaling* t) noexcept nogil:
    cdef Py_ssize_t i, at
    cdef double end_of_range
    for i in range(begin, end):
        at = i // t.each
        y[i] = <number>(t.a[at] + t.b[at] * y[i])
        end_of_range = t.a[at] + t.b[at]
        if t.below and y[i] == <number>end_of_range and t.b[at] != 0 and isfinite(end_of_range):
            if number is float:  # it was rounded up
                y[i] = nextafterf(y[i], <float>t.a[at])
            else:
                y[i] = nextafter(y[i], t.a[at])


cdef void scale_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Scaling* t = <Scaling*>arg
    if t.is_f64:
        scale_elements[double](<double*>t.y, begin, end, t)
    else:
        scale_elements[float](<float*>t.y, begin, end, t)


cdef int scale(Array out, opforge_fill_fn* fns, double p, double q, Scaling* t, int req) except -1:
    """Fill `out` with ``a + b * z`` of the standard numbers z that `fns` returns for p and q."""
    cdef Array source = new_array(out.shape, F64 if out.code == F64 else F32, out.context)
    wait_write(out)
    fill(fns, p, q, source)
    t.y, t.is_f64 = source.data, source.code == F64
    cdef bint stoppable = enter_stoppable()
    with nogil:
        parallel_for(source.size, GRAIN, scale_part, t)
    leave_stoppable(stoppable)
    return cast_and_store(source, out, req)


def rows(
    str distribution, Array out not None, const double[::1] a, const double[::1] b, req="write"
):
    """Fill rows of `out` of equal length, one for each pair of parameters.

    Parameters
    ----------
    distribution : str
        "uniform" in [a, a + b), "normal" of mean a and standard deviation b, "exponential" of mean
        b (and a of 0), "gamma" of shape a and scale b, "poisson" of mean a, "negative_binomial" of
        a successes of probability b, "generalized_negative_binomial" of mean a and dispersion b.
    out : Array
    a, b : memoryview of float64
        Parameters in the domain of the distribution, or NaN, for which the results are NaN. Their
        number divides that of the elements.
    req : str
    """
    cdef Scaling t
    cdef int code = req_code(req)
    cdef Py_ssize_t count = a.shape[0]
    if code == REQ_NULL or out.size == 0:
        return
    if count == 0 or b.shape[0] != count or out.size % count:
        raise ShapeError(
            f"{distribution}: {count} and {b.shape[0]} parameters do not divide {out.size} elements"
        )
    if distribution in KINDS:
        draw(out, KINDS[distribution], &a[0], &b[0], count, code)
        return
    t.each, t.a, t.b, t.below = out.size // count, &a[0], &b[0], distribution == "uniform"
    if distribution == "uniform":
        scale(out, kernels.uniform, 0.0, 1.0, &t, code)
    elif distribution == "normal":
        scale(out, kernels.normal, 0.0, 1.0, &t, code)
    elif distribution == "exponential":
        scale(out, kernels.exponential, 1.0, 0.0, &t, code)
    else:
        raise AttributeValueError(f"unknown distribution {distribution!r}")


def gamma(Array out not None, double alpha=1.0, double beta=1.0, req="write"):
    """Fill `out` with gamma variates of shape `alpha` and scale `beta`; their mean is alpha * beta."""
    expect_positive("gamma", "alpha", alpha, True)
    expect_positive("gamma", "beta", beta, True)
    draw(out, GAMMA, &alpha, &beta, 1, req_code(req))


def poisson(Array out not None, double lam=1.0, req="write"):
    """Fill `out` with Poisson counts of mean `lam`."""
    expect_positive("poisson", "lam", lam, True)
    draw(out, POISSON, &lam, &lam, 1, req_code(req))


def permutation(Array out not None, req="write"):
    """Fill the 1-d `out` with a random permutation of 0 to n - 1."""
    cdef Array source, uniforms
    cdef Py_ssize_t i, j
    cdef int64_t* order
    if out.ndim != 1:
        raise ShapeError(f"permutation: 'out' has shape {out.shape}, expected 1 dimension")
    wait_write(out)
    uniforms = uniform_numbers(out)
    source = new_array(out.shape, I64, out.context)
    order = <int64_t*>source.data
    for i in range(out.size):
        j = <Py_ssize_t>((<double*>uniforms.data)[i] * (i + 1))
        order[i] = order[j] if j < i else i
        order[j] = i
    cast_and_store(source, out, req_code(req))


def shuffle(Array x not None, Array out not None, req="write"):
    """Write the slices of `x` along the first axis to `out` in random order."""
    cdef Array order
    if x.ndim == 0:
        raise ShapeError("shuffle: 'x' has shape (), expected 1 dimension or more")
    order = new_array((x.shape[0],), I64, x.context)
    permutation(order)
    take(x, order, out, 0, "clip", req)
