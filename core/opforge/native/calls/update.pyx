"""Optimizer steps: all weights of a training step are updated in one call and one pass over memory.

The elements of all weights together are divided among the threads, so that small weights are balanced
too. float16 is computed in float32, tile by tile: either the weights themselves, or a float32 master copy
that the rule updates while the float16 weights receive the rounded result. No allocation depends on the
size of the weights.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdlib cimport free, malloc

from opforge.native.array.array cimport Array, overlaps, wait_read, wait_write
from opforge.native.array.expect cimport expect_code, expect_float, expect_shape
from opforge.native.calls.claims cimport Claims, Use, claim, close_claims, open_claims
from opforge.native.kernels.convert cimport opforge_convert_table
from opforge.native.kernels.update cimport (
    OPFORGE_ADADELTA, OPFORGE_ADAGRAD, OPFORGE_ADAM, OPFORGE_ADAMAX, OPFORGE_ADAMW, OPFORGE_FTML,
    OPFORGE_FTRL, OPFORGE_LAMB_DIRECTION, OPFORGE_NADAM, OPFORGE_NAG, OPFORGE_RMSPROP,
    OPFORGE_RMSPROP_CENTERED, OPFORGE_SGD, OPFORGE_SGD_MOMENTUM, OPFORGE_SIGNSGD, OPFORGE_SIGNUM,
    opforge_update_fn, opforge_update_settings, opforge_update_table,
)
from opforge.native.memory.buffer cimport FOREIGN
from opforge.native.memory.types cimport F16, F32, F64, is_half, itemsize_of
from opforge.native.threads.parallel cimport enter_work, leave_work, num_threads, parallel_for
from opforge.native.threads.spans cimport (
    CALLS, Site, Span, close_span, open_span, site_of, watched,
)

from opforge.base.errors import OpforgeError, OutOfMemoryError, ShapeError
from opforge.native.kernels import isa as _isa

__all__ = ["update_weights"]

cdef opforge_update_table* kernels = <opforge_update_table*>PyCapsule_GetPointer(
    _isa.table("update"), "opforge.kernels.update"
)
cdef opforge_convert_table* converters = <opforge_convert_table*>PyCapsule_GetPointer(
    _isa.table("convert"), "opforge.kernels.convert"
)

cdef enum:
    GRAIN = 16384                      # minimum elements per thread: 12 to 28 bytes each, about 10 us
    TILE = 512                         # float16 elements converted at once
    MAX_STATES = 3
    MAX_USES = MAX_STATES + 4

cdef dict sites = {}                   # profiler sites by rule

# (rule, number of states) -> kernel
cdef dict RULES = {
    ("sgd", 0): OPFORGE_SGD,
    ("sgd", 1): OPFORGE_SGD_MOMENTUM,
    ("nag", 0): OPFORGE_SGD,
    ("nag", 1): OPFORGE_NAG,
    ("adam", 2): OPFORGE_ADAM,
    ("rmsprop", 1): OPFORGE_RMSPROP,
    ("rmsprop", 3): OPFORGE_RMSPROP_CENTERED,
    ("adagrad", 1): OPFORGE_ADAGRAD,
    ("adadelta", 2): OPFORGE_ADADELTA,
    ("adamw", 2): OPFORGE_ADAMW,
    ("adamax", 2): OPFORGE_ADAMAX,
    ("nadam", 2): OPFORGE_NADAM,
    ("lamb_direction", 2): OPFORGE_LAMB_DIRECTION,
    ("ftrl", 2): OPFORGE_FTRL,
    ("ftml", 3): OPFORGE_FTML,
    ("signsgd", 0): OPFORGE_SIGNSGD,
    ("signum", 1): OPFORGE_SIGNUM,
}

cdef struct Step:                      # the update of one weight
    opforge_update_settings settings
    opforge_update_fn rule
    char* weight
    char* grad
    char* out
    char* rounded                      # 16-bit array that receives the rounded result, or NULL
    char* states[MAX_STATES]           # unused entries are NULL
    int code, grad_code, rounded_code
    Py_ssize_t n
    Py_ssize_t first                   # index of its first element among those of all weights
    Use uses[MAX_USES]
    int use_count
    bint has_foreign                   # uses memory not owned by opforge, which several arrays may wrap

cdef struct Steps:
    Step* steps
    Py_ssize_t count


cdef inline void* as_float32(char* base, int code, Py_ssize_t start, Py_ssize_t n, float* tile) noexcept nogil:
    """Return the elements of `base` from `start`; 16-bit floats are converted to float32 in `tile`."""
    if base == NULL:
        return NULL
    if not is_half(code):
        return base + start * itemsize_of(code)
    converters.cast[code][F32](base + start * 2, tile, n)
    return tile


cdef void step_tiles(Step* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Update elements [begin, end) of a step that involves 16-bit arrays."""
    cdef float tiles[MAX_STATES + 3][TILE]
    cdef void* states[MAX_STATES]
    cdef void* weight
    cdef void* grad
    cdef void* out
    cdef Py_ssize_t start = begin, n
    cdef int k
    while start < end:
        n = min(<Py_ssize_t>TILE, end - start)
        weight = as_float32(s.weight, s.code, start, n, tiles[MAX_STATES])
        grad = as_float32(s.grad, s.grad_code, start, n, tiles[MAX_STATES + 1])
        for k in range(MAX_STATES):
            states[k] = as_float32(s.states[k], s.code, start, n, tiles[k])
        out = &tiles[MAX_STATES + 2][0] if is_half(s.code) else <float*>s.out + start
        s.rule(&s.settings, weight, grad, out, states[0], states[1], states[2], n)
        if is_half(s.code):
            converters.cast[F32][s.code](out, s.out + start * 2, n)
            for k in range(MAX_STATES):
                if states[k] != NULL:
                    converters.cast[F32][s.code](states[k], s.states[k] + start * 2, n)
        if s.rounded != NULL:
            converters.cast[F32][s.rounded_code](out, s.rounded + start * 2, n)
        start += n


cdef void step_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Update elements [begin, end) of one weight."""
    cdef Step* s = <Step*>arg
    cdef Py_ssize_t at = begin * itemsize_of(s.code)
    cdef void* states[MAX_STATES]
    cdef int k
    if is_half(s.grad_code) or s.rounded != NULL:
        step_tiles(s, begin, end)
        return
    for k in range(MAX_STATES):
        states[k] = NULL if s.states[k] == NULL else s.states[k] + at
    s.rule(&s.settings, s.weight + at, s.grad + at, s.out + at, states[0], states[1], states[2],
           end - begin)


cdef void step_parts(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Update elements [begin, end) of the concatenated weights."""
    cdef Steps* all_steps = <Steps*>arg
    cdef Py_ssize_t low = 0, high = all_steps.count - 1, middle, stop
    cdef Step* s
    while low < high:                  # find the last weight that starts at or before `begin`
        middle = (low + high + 1) // 2
        if all_steps.steps[middle].first <= begin:
            low = middle
        else:
            high = middle - 1
    while begin < end:
        s = &all_steps.steps[low]
        stop = min(end, s.first + s.n)
        step_part(s, begin - s.first, stop - s.first)
        begin = stop
        low += 1


cdef bint are_independent(Steps* all_steps) noexcept nogil:
    """Return whether no step writes memory that another one uses, so that they may run in any order."""
    cdef Claims claims
    cdef Py_ssize_t uses = 0, i
    cdef int k
    cdef bint independent
    for i in range(all_steps.count):
        uses += all_steps.steps[i].use_count
    independent = open_claims(&claims, uses) == 0
    for i in range(all_steps.count):
        independent = independent and not all_steps.steps[i].has_foreign
        for k in range(all_steps.steps[i].use_count):
            independent = independent and claim(&claims, i, &all_steps.steps[i].uses[k])
    close_claims(&claims)
    return independent


cdef void step_all(Steps* all_steps, Py_ssize_t total) noexcept nogil:
    """Run all steps: in parallel if that pays off and they are independent, else one after the other."""
    cdef Py_ssize_t i
    if total >= 2 * GRAIN and num_threads() > 1 and (all_steps.count == 1 or are_independent(all_steps)):
        parallel_for(total, GRAIN, step_parts, all_steps)
        return
    for i in range(all_steps.count):
        parallel_for(all_steps.steps[i].n, GRAIN, step_part, &all_steps.steps[i])


cdef inline void add_use(Step* s, Array x, bint written) noexcept:
    s.uses[s.use_count] = Use(x.buffer.data, written)
    s.use_count += 1
    s.has_foreign = s.has_foreign or x.buffer.size_class == FOREIGN


cdef Array expect_array(str name, object x):
    if not isinstance(x, Array):
        raise TypeError(f"update: '{name}' is {type(x).__name__}, expected an NDArray")
    return <Array>x


cdef int expect_no_overlap(str name, Array x, str other_name, Array other) except -1:
    if overlaps(x, other):
        raise OpforgeError(
            f"update: '{name}' shares memory with '{other_name}' of shape {other.shape}; pass an array "
            "with separate memory"
        )
    return 0


cdef int add_operand(str name, Array x, Array out) except -1:
    """Check an array that is only read; it may be `out` itself."""
    expect_shape("update", name, x, out.shape)
    if x is not out and (x.data != out.data or x.code != out.code):
        expect_no_overlap(name, x, "out", out)
    return wait_read(x)


cdef int add_states(Step* s, str rule, object states, Array weight, Array grad, Array out) except -1:
    """Set the kernel and the states, which are None, an array or a tuple of arrays."""
    cdef tuple given = () if states is None else (states,) if isinstance(states, Array) else tuple(states)
    cdef Py_ssize_t count = len(given), k, other
    cdef Array x
    kernel = RULES.get((rule, count))
    if kernel is None:
        known = sorted([n for name, n in RULES if name == rule])
        raise OpforgeError(
            f"update: rule '{rule}' got {count} states per weight, expected one of {known}; "
            f"available rules: {sorted({name for name, _ in RULES})}"
        )
    s.rule = kernels.rule[<int>kernel][weight.code == F64]
    for k in range(MAX_STATES):
        s.states[k] = NULL
    for k in range(count):
        x = expect_array("state", given[k])
        expect_code("update", "state", x, weight.code)
        expect_shape("update", "state", x, weight.shape)
        expect_no_overlap("state", x, "weight", weight)
        expect_no_overlap("state", x, "grad", grad)
        if out is not weight:
            expect_no_overlap("state", x, "out", out)
        for other in range(k):
            expect_no_overlap("state", x, "state", given[other])
        wait_write(x)
        add_use(s, x, True)
        s.states[k] = x.data
    return 0


cdef int add_step(
    Step* s, str rule, Array weight, Array grad, object states, Array out, Array rounded
) except -1:
    """Check one weight and set the fields that differ between weights."""
    expect_float("update", "weight", weight)
    expect_code("update", "out", out, weight.code)
    if not is_half(grad.code) or weight.code != F32:
        expect_code("update", "grad", grad, weight.code)
    s.use_count, s.has_foreign = 0, False
    add_operand("weight", weight, out)
    add_operand("grad", grad, out)
    add_states(s, rule, states, weight, grad, out)
    wait_write(out)
    add_use(s, weight, weight is out)
    add_use(s, grad, False)
    if out is not weight:
        add_use(s, out, True)
    s.rounded = NULL
    if rounded is not None:
        if not is_half(rounded.code):
            expect_code("update", "rounded", rounded, F16)
        expect_code("update", "weight", weight, F32)
        expect_shape("update", "rounded", rounded, weight.shape)
        expect_no_overlap("rounded", rounded, "out", out)
        wait_write(rounded)
        add_use(s, rounded, True)
        s.rounded, s.rounded_code = rounded.data, rounded.code
    s.weight, s.grad, s.out = weight.data, grad.data, out.data
    s.code, s.grad_code, s.n = weight.code, grad.code, weight.size
    return 0


def update_weights(
    str rule not None, list weights not None, list grads not None, list states not None,
    list lrs not None, list wds not None, double rescale=1.0, double clip=-1.0, double a=0.0,
    double b=0.0, double epsilon=0.0, double limit=0.0, list outs=None, list rounded=None,
    list corrections=None,
):
    """Take one step of an optimizer for each of `weights`.

    Parameters
    ----------
    rule : str
        One of the keys of the table of rules, such as "sgd", "adam" or "ftrl".
    weights, grads : list of Array
        A weight and its gradient have the same shape and float type; a float32 weight may have a
        float16 gradient.
    states : list of None, Array or tuple of Array
        Same shape and dtype as the weight; updated. "sgd" and "nag" have one (momentum) or none,
        "adam" two, "rmsprop" one or (centered) three, "adagrad" one, "adadelta" two.
    lrs, wds : list of float
        Learning rate and weight decay of each weight. "adamw" subtracts ``wd * weight`` itself.
    rescale, clip : float
        Factor of the gradients and bound of their magnitude; no bound if negative.
    a, b : float
        Momentum, or decay rates of the first and second state.
    epsilon, limit : float
        Term that keeps divisors from 0, and bound of the weights of "rmsprop" (0 for none).
    outs : list of Array, optional
        Receive the results; `weights` by default.
    rounded : list of Array or None, optional
        float16 arrays that also receive the results, rounded.
    corrections : list of (float, float), optional
        Coefficients c and d of each weight, which depend on the number of its updates, for the rules
        "nadam", "lamb_direction" and "ftml".

    Raises
    ------
    ShapeError, DTypeError
        The arrays of a weight differ in shape or dtype; nothing is changed.
    OpforgeError
        The rule does not exist or does not take this number of states, or arrays overlap.

    Examples
    --------
    >>> from opforge import nd
    >>> w, g = nd.array([1.0, 2.0]), nd.array([1.0, 0.0])
    >>> update_weights("sgd", [w], [g], [None], [0.5], [0.0])
    >>> w.asnumpy().tolist()
    [0.5, 2.0]
    """
    cdef Py_ssize_t count = len(weights), total = 0, i
    cdef Steps all_steps
    cdef Step* s
    outs = weights if outs is None else outs
    rounded = [None] * count if rounded is None else rounded
    # Copies keep the arrays alive if another thread changes the lists.
    snapshot = (tuple(weights), tuple(grads), tuple(states), tuple(outs), tuple(rounded), tuple(lrs), tuple(wds))
    cdef tuple factors = None if corrections is None else tuple(corrections)
    for given in snapshot:
        if len(given) != count:
            raise ShapeError(f"update: got {count} weights and lists of lengths {[len(x) for x in snapshot]}")
    if factors is not None and len(factors) != count:
        raise ShapeError(f"update: got {count} weights and {len(factors)} corrections")
    if count == 0:
        return
    all_steps.count, all_steps.steps = count, <Step*>malloc(count * sizeof(Step))
    if all_steps.steps == NULL:
        raise OutOfMemoryError(f"update: cannot allocate {count * sizeof(Step)} bytes for {count} steps")
    cdef Span span
    cdef bint is_timed = watched & CALLS != 0
    if is_timed:
        if rule not in sites:
            sites[rule] = site_of("operator", f"multi_{rule}_update")
        open_span(&span, <Site>sites[rule])
    enter_work()
    try:
        for i in range(count):
            s = &all_steps.steps[i]
            add_step(
                s, rule, expect_array("weight", snapshot[0][i]), expect_array("grad", snapshot[1][i]),
                snapshot[2][i], expect_array("out", snapshot[3][i]), snapshot[4][i],
            )
            s.settings.lr, s.settings.wd = snapshot[5][i], snapshot[6][i]
            s.settings.rescale, s.settings.clip = rescale, clip
            s.settings.a, s.settings.b = a, b
            s.settings.c, s.settings.d = (0.0, 0.0) if factors is None else factors[i]
            s.settings.epsilon, s.settings.limit = epsilon, limit
            s.first = total
            total += s.n
        with nogil:
            step_all(&all_steps, total)
    finally:
        leave_work()
        free(all_steps.steps)
        if is_timed:
            close_span(&span)
