"""Elements along an axis in order, and where they are: what sort, argsort and topk are made of.

Elements become unsigned keys, whose order is that of the elements with NaN as the largest. A row's
keys are sorted by digits, from the least on, which keeps equal ones in their order; few of many are
chosen with a heap. Rows are shared out among threads.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.loops.casting cimport run_cast
from opforge.native.memory.types cimport F16, F32, F64, I8, I32, I64, REQ_NULL, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import OutOfMemoryError

__all__ = ["order"]

ctypedef fused Key:
    uint32_t
    uint64_t

ctypedef fused Float:
    uint32_t
    uint64_t
    uint16_t

ctypedef fused Whole:
    int8_t
    uint8_t
    int32_t
    int64_t

cdef enum:
    DIGIT = 256                        # values of a digit
    FEW = 48                           # elements that insertion sorts faster
    CHOSEN = 16                        # a heap serves where it holds one of so many elements
    BLOCK = 32                         # elements that are looked at together for a candidate
    WORK = 1000                        # elements that are worth a thread: 5 us

cdef struct Ordering:
    const char* x
    char* values                       # of the row's first elements in order, or NULL
    int64_t* places                    # where they are, or NULL
    int code
    Py_ssize_t n, inner, count, item
    bint descends
    bint lacks_memory                  # set by any thread

cdef struct Scratch:
    void* keys                         # of a row
    void* other_keys
    int64_t* places
    int64_t* other_places


# Keys -------------------------------------------------------------------------------------------

cdef inline void float_keys(const Float* x, Py_ssize_t stride, Py_ssize_t n, Key* keys) noexcept nogil:
    """Bits of negative numbers count backwards; -0 is 0, and all NaN are the same."""
    cdef Key sign = <Key>1 << (8 * sizeof(Float) - 1), all_ones = sign - 1 + sign, bits
    cdef Key infinity = (
        <Key>0x7f800000 if Float is uint32_t else <Key>0x7c00 if Float is uint16_t
        else <Key>0x7ff0000000000000
    )
    cdef Py_ssize_t i
    for i in range(n):
        bits = x[i * stride]
        if bits & (sign - 1) > infinity:
            keys[i] = all_ones
        elif bits > sign:
            keys[i] = all_ones - bits
        else:
            keys[i] = bits & (sign - 1) | sign


cdef inline void whole_keys(const Whole* x, Py_ssize_t stride, Py_ssize_t n, Key* keys) noexcept nogil:
    cdef Key sign = 0 if Whole is uint8_t else <Key>1 << (8 * sizeof(Key) - 1)
    cdef Py_ssize_t i
    for i in range(n):
        keys[i] = <Key>x[i * stride] ^ sign


cdef void row_keys(Ordering* t, const char* x, Key* keys) noexcept nogil:
    """Keys of the row that begins at x, the smallest first in the order that is wanted."""
    cdef Py_ssize_t i
    if Key is uint64_t:
        if t.code == F64:
            float_keys(<const uint64_t*>x, t.inner, t.n, keys)
        else:
            whole_keys(<const int64_t*>x, t.inner, t.n, keys)
    elif t.code == F32:
        float_keys(<const uint32_t*>x, t.inner, t.n, keys)
    elif t.code == F16:
        float_keys(<const uint16_t*>x, t.inner, t.n, keys)
    elif t.code == I32:
        whole_keys(<const int32_t*>x, t.inner, t.n, keys)
    elif t.code == I8:
        whole_keys(<const int8_t*>x, t.inner, t.n, keys)
    else:
        whole_keys(<const uint8_t*>x, t.inner, t.n, keys)
    if t.descends:
        for i in range(t.n):
            keys[i] = ~keys[i]


# A whole row ------------------------------------------------------------------------------------

cdef void insert_all(Key* keys, int64_t* places, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, at
    cdef Key key
    for i in range(n):
        key = keys[i]
        at = i
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            places[at] = places[at - 1]
            at -= 1
        keys[at] = key
        places[at] = i


cdef void sort_row(Key* keys, Key* other_keys, Scratch* s, Py_ssize_t n) noexcept nogil:
    """Put the places in order into `s.places`; the keys are sorted with them."""
    cdef Py_ssize_t[8 * DIGIT] counts  # of each value of each digit, then where its keys go
    cdef Py_ssize_t* of_digit
    cdef Py_ssize_t i, at, start, size
    cdef Key* from_keys = keys
    cdef Key* to_keys = other_keys
    cdef int64_t* from_places = s.places
    cdef int64_t* to_places = s.other_places
    cdef int digit, value
    if n <= FEW:
        insert_all(keys, s.places, n)
        return
    memset(counts, 0, sizeof(Key) * DIGIT * sizeof(Py_ssize_t))
    for i in range(n):
        s.places[i] = i
        for digit in range(<int>sizeof(Key)):
            counts[digit * DIGIT + (keys[i] >> 8 * digit & 255)] += 1
    for digit in range(<int>sizeof(Key)):
        of_digit = counts + digit * DIGIT
        if of_digit[from_keys[0] >> 8 * digit & 255] == n:
            continue                   # all are the same
        start = 0
        for value in range(DIGIT):
            size = of_digit[value]
            of_digit[value] = start
            start += size
        for i in range(n):
            value = from_keys[i] >> 8 * digit & 255
            at = of_digit[value]
            of_digit[value] = at + 1
            to_keys[at] = from_keys[i]
            to_places[at] = from_places[i]
        from_keys, to_keys = to_keys, from_keys
        from_places, to_places = to_places, from_places
    if from_places != s.places:
        memcpy(s.places, from_places, n * sizeof(int64_t))


# A few of a row ---------------------------------------------------------------------------------

cdef inline bint comes_later(Key* keys, int64_t* places, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    return keys[a] > keys[b] or (keys[a] == keys[b] and places[a] > places[b])


cdef void sift(Key* keys, int64_t* places, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Let the element at `at` sink in a heap whose root is the last in order."""
    cdef Py_ssize_t child = 2 * at + 1
    while child < size:
        if child + 1 < size and comes_later(keys, places, child + 1, child):
            child += 1
        if not comes_later(keys, places, child, at):
            return
        keys[at], keys[child] = keys[child], keys[at]
        places[at], places[child] = places[child], places[at]
        at, child = child, 2 * child + 1


cdef void choose_row(
    Key* keys, Key* heap, int64_t* places, Py_ssize_t n, Py_ssize_t count
) noexcept nogil:
    """Put the places of the first `count` in order into `places`; an equal element is no candidate."""
    cdef Py_ssize_t i, j, last
    cdef bint found
    for i in range(count):
        heap[i] = keys[i]
        places[i] = i
    for i in range(count - 1, -1, -1):
        sift(heap, places, count, i)
    i = count
    while i < n:
        if i + BLOCK <= n:
            found = False
            for j in range(BLOCK):
                found |= keys[i + j] < heap[0]
            if not found:
                i += BLOCK
                continue
        for j in range(i, min(i + BLOCK, n)):
            if keys[j] < heap[0]:
                heap[0], places[0] = keys[j], j
                sift(heap, places, count, 0)
        i += BLOCK
    for last in range(count - 1, 0, -1):
        heap[0], heap[last] = heap[last], heap[0]
        places[0], places[last] = places[last], places[0]
        sift(heap, places, last, 0)


# Rows -------------------------------------------------------------------------------------------

cdef void write_row(Ordering* t, const int64_t* places, Py_ssize_t row) noexcept nogil:
    cdef const char* x = t.x + (row // t.inner * t.n * t.inner + row % t.inner) * t.item
    cdef Py_ssize_t at = row // t.inner * t.count * t.inner + row % t.inner, j, k
    for j in range(t.count):
        k = at + j * t.inner
        if t.places != NULL:
            t.places[k] = places[j]
        if t.values == NULL:
            continue
        if t.item == 4:
            (<uint32_t*>t.values)[k] = (<const uint32_t*>x)[places[j] * t.inner]
        elif t.item == 8:
            (<uint64_t*>t.values)[k] = (<const uint64_t*>x)[places[j] * t.inner]
        elif t.item == 2:
            (<uint16_t*>t.values)[k] = (<const uint16_t*>x)[places[j] * t.inner]
        else:
            t.values[k] = x[places[j] * t.inner]


cdef void order_row(Ordering* t, Scratch* s, Key* keys, Key* other_keys, Py_ssize_t row) noexcept nogil:
    row_keys(t, t.x + (row // t.inner * t.n * t.inner + row % t.inner) * t.item, keys)
    if t.count * CHOSEN <= t.n:
        choose_row(keys, other_keys, s.places, t.n, t.count)
    else:
        sort_row(keys, other_keys, s, t.n)
    write_row(t, s.places, row)


cdef void rows_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Ordering* t = <Ordering*>arg
    cdef bint long_keys = t.item == 8
    cdef Py_ssize_t key = 8 if long_keys else 4, row
    cdef char* space = <char*>malloc(2 * t.n * (key + sizeof(int64_t)))
    cdef Scratch s
    if space == NULL:
        t.lacks_memory = True
        return
    s.places = <int64_t*>space
    s.other_places = s.places + t.n
    s.keys = s.other_places + t.n
    s.other_keys = <char*>s.keys + t.n * key
    for row in range(begin, end):
        if long_keys:
            order_row(t, &s, <uint64_t*>s.keys, <uint64_t*>s.other_keys, row)
        else:
            order_row(t, &s, <uint32_t*>s.keys, <uint32_t*>s.other_keys, row)
    free(space)


def order(
    Array x not None, axis, bint is_ascend, Array values=None, Array places=None, values_req="write",
    places_req="write",
):
    """Write the first elements along `axis` in order, where they are in `x`, or both.

    Parameters
    ----------
    x : Array
    axis : int, optional
        None: over all elements, flattened.
    is_ascend : bool
        The smallest first, else the largest.
    values, places : Array, optional
        Shape of `x`, with as many elements along `axis` as are wanted; `values` has its dtype.
    values_req, places_req : {"write", "inplace", "add", "null"}

    Notes
    -----
    Of equal elements the earlier comes first in either direction; NaN counts as larger than all.
    """
    cdef int values_how = req_code(values_req), places_how = req_code(places_req), at = 0
    cdef Array values_target = None, places_target = None, found = None
    cdef Py_ssize_t rows
    cdef tuple shape = x.shape
    cdef Ordering t
    if axis is None:
        shape = (x.size,)
    else:
        at = expect_axis("order", axis, x.ndim)
    wanted = [item for item in (values, places) if item is not None]
    if not wanted:
        raise TypeError("order: neither 'values' nor 'places' is given; give one or both")
    t.n = shape[at]
    t.count = min((<Array>wanted[0]).shape[at], t.n) if (<Array>wanted[0]).ndim > at else t.n
    expected = shape[:at] + (t.count,) + shape[at + 1:]
    for name, item in (("values", values), ("places", places)):
        if item is not None:
            expect_shape("order", name, item, expected)
            wait_write(item)
    if values is not None:
        expect_code("order", "values", values, x.code)
    wait_read(x)
    t.inner = 1
    for dim in shape[at + 1:]:
        t.inner *= dim
    if x.size == 0 or t.count == 0:
        return
    rows = x.size // t.n
    t.x, t.code, t.item = x.data, x.code, itemsize_of(x.code)
    t.values, t.places, t.descends, t.lacks_memory = NULL, NULL, not is_ascend, False
    if values is not None and values_how != REQ_NULL:
        values_target = target_of(values, values_how, (x,))
        t.values = values_target.data
    if places is not None and places_how != REQ_NULL:
        places_target = target_of(places, places_how, (x,))
        found = places_target if places.code == I64 else new_array(expected, I64, x.context)
        t.places = <int64_t*>found.data
    with nogil:
        parallel_for(rows, WORK // t.n + 1, rows_part, &t)
    if t.lacks_memory:
        raise OutOfMemoryError(f"order: no memory to order rows of {t.n} elements")
    if values_target is not None:
        settle(values, values_target, values_how)
    if places_target is not None:
        if found is not places_target:
            with nogil:
                run_cast(I64, places_target.code, found.data, places_target.data, places_target.size)
        settle(places, places_target, places_how)
