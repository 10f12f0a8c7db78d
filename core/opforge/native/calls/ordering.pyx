"""Sorted elements along an axis and their indices: the kernel of sort, argsort and topk.

Elements are mapped to unsigned keys of the same order, with NaN as the largest. The keys of a row are
sorted by a least-significant-digit radix sort, which is stable; if only a small fraction is needed, it
is selected with a heap. Rows are divided among threads.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.loops.casting cimport run_cast
from opforge.native.memory.types cimport BF16, F16, F32, F64, I8, I32, I64, REQ_NULL, itemsize_of
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

ctypedef fused Integer:
    int8_t
    uint8_t
    int32_t
    int64_t

cdef enum:
    DIGIT = 256                        # values of a digit
    INSERTION_LENGTH = 48              # up to this length insertion sort is faster
    SELECT_FRACTION = 16               # use a heap if it holds at most 1/16 of the elements
    BLOCK = 32                         # elements compared at once with the root of the heap
    WORK = 1000                        # minimum elements per thread: 5 us

cdef struct Ordering:
    const char* x
    char* values                       # the first elements of each row in order, or NULL
    int64_t* indices                   # their indices, or NULL
    int code
    Py_ssize_t n, inner, count, item
    bint descending
    bint out_of_memory                 # set by any thread

cdef struct Scratch:
    void* keys                         # of one row
    void* other_keys
    int64_t* indices
    int64_t* other_indices


# Keys -------------------------------------------------------------------------------------------

cdef inline void float_keys(
    const Float* x, Py_ssize_t stride, Py_ssize_t n, Key infinity, Key* keys
) noexcept nogil:
    """Compute keys of floats from the bits of `infinity`: bits of negative numbers are inverted; -0 equals 0 and all NaN are equal."""
    cdef Key sign = <Key>1 << (8 * sizeof(Float) - 1), all_ones = sign - 1 + sign, bits
    cdef Py_ssize_t i
    for i in range(n):
        bits = x[i * stride]
        if bits & (sign - 1) > infinity:
            keys[i] = all_ones
        elif bits > sign:
            keys[i] = all_ones - bits
        else:
            keys[i] = bits & (sign - 1) | sign


cdef inline void integer_keys(const Integer* x, Py_ssize_t stride, Py_ssize_t n, Key* keys) noexcept nogil:
    cdef Key sign = 0 if Integer is uint8_t else <Key>1 << (8 * sizeof(Key) - 1)
    cdef Py_ssize_t i
    for i in range(n):
        keys[i] = <Key>x[i * stride] ^ sign


cdef void row_keys(Ordering* t, const char* x, Key* keys) noexcept nogil:
    """Compute the keys of the row that starts at `x`; ascending keys are in the requested order."""
    cdef Py_ssize_t i
    if Key is uint64_t:
        if t.code == F64:
            float_keys(<const uint64_t*>x, t.inner, t.n, <Key>0x7ff0000000000000, keys)
        else:
            integer_keys(<const int64_t*>x, t.inner, t.n, keys)
    elif t.code == F32:
        float_keys(<const uint32_t*>x, t.inner, t.n, <Key>0x7f800000, keys)
    elif t.code == F16:
        float_keys(<const uint16_t*>x, t.inner, t.n, <Key>0x7c00, keys)
    elif t.code == BF16:
        float_keys(<const uint16_t*>x, t.inner, t.n, <Key>0x7f80, keys)
    elif t.code == I32:
        integer_keys(<const int32_t*>x, t.inner, t.n, keys)
    elif t.code == I8:
        integer_keys(<const int8_t*>x, t.inner, t.n, keys)
    else:
        integer_keys(<const uint8_t*>x, t.inner, t.n, keys)
    if t.descending:
        for i in range(t.n):
            keys[i] = ~keys[i]


# Sorting a row ----------------------------------------------------------------------------------

cdef void insertion_sort(Key* keys, int64_t* indices, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, at
    cdef Key key
    for i in range(n):
        key = keys[i]
        at = i
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            indices[at] = indices[at - 1]
            at -= 1
        keys[at] = key
        indices[at] = i


cdef void sort_row(Key* keys, Key* other_keys, Scratch* s, Py_ssize_t n) noexcept nogil:
    """Store the sorted indices in `s.indices`; the keys are sorted along with them."""
    cdef Py_ssize_t[8 * DIGIT] counts  # number of keys by digit and value, then their next position
    cdef Py_ssize_t* digit_counts
    cdef Py_ssize_t i, at, start, size
    cdef Key* from_keys = keys
    cdef Key* to_keys = other_keys
    cdef int64_t* from_indices = s.indices
    cdef int64_t* to_indices = s.other_indices
    cdef int digit, value
    if n <= INSERTION_LENGTH:
        insertion_sort(keys, s.indices, n)
        return
    memset(counts, 0, sizeof(Key) * DIGIT * sizeof(Py_ssize_t))
    for i in range(n):
        s.indices[i] = i
        for digit in range(<int>sizeof(Key)):
            counts[digit * DIGIT + (keys[i] >> 8 * digit & 255)] += 1
    for digit in range(<int>sizeof(Key)):
        digit_counts = counts + digit * DIGIT
        if digit_counts[from_keys[0] >> 8 * digit & 255] == n:
            continue                   # all keys have the same digit
        start = 0
        for value in range(DIGIT):
            size = digit_counts[value]
            digit_counts[value] = start
            start += size
        for i in range(n):
            value = from_keys[i] >> 8 * digit & 255
            at = digit_counts[value]
            digit_counts[value] = at + 1
            to_keys[at] = from_keys[i]
            to_indices[at] = from_indices[i]
        from_keys, to_keys = to_keys, from_keys
        from_indices, to_indices = to_indices, from_indices
    if from_indices != s.indices:
        memcpy(s.indices, from_indices, n * sizeof(int64_t))


# Selecting from a row ---------------------------------------------------------------------------

cdef inline bint is_later(Key* keys, int64_t* indices, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    return keys[a] > keys[b] or (keys[a] == keys[b] and indices[a] > indices[b])


cdef void sift(Key* keys, int64_t* indices, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Sift down the element at `at` in a heap whose root is the last in order."""
    cdef Py_ssize_t child = 2 * at + 1
    while child < size:
        if child + 1 < size and is_later(keys, indices, child + 1, child):
            child += 1
        if not is_later(keys, indices, child, at):
            return
        keys[at], keys[child] = keys[child], keys[at]
        indices[at], indices[child] = indices[child], indices[at]
        at, child = child, 2 * child + 1


cdef void select_row(
    Key* keys, Key* heap, int64_t* indices, Py_ssize_t n, Py_ssize_t count
) noexcept nogil:
    """Store the indices of the first `count` elements in order in `indices`.

    An element equal to the root of the heap comes later, so it is not a candidate.
    """
    cdef Py_ssize_t i, j, last
    cdef bint found
    for i in range(count):
        heap[i] = keys[i]
        indices[i] = i
    for i in range(count - 1, -1, -1):
        sift(heap, indices, count, i)
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
                heap[0], indices[0] = keys[j], j
                sift(heap, indices, count, 0)
        i += BLOCK
    for last in range(count - 1, 0, -1):
        heap[0], heap[last] = heap[last], heap[0]
        indices[0], indices[last] = indices[last], indices[0]
        sift(heap, indices, last, 0)


# Rows -------------------------------------------------------------------------------------------

cdef void write_row(Ordering* t, const int64_t* indices, Py_ssize_t row) noexcept nogil:
    cdef const char* x = t.x + (row // t.inner * t.n * t.inner + row % t.inner) * t.item
    cdef Py_ssize_t at = row // t.inner * t.count * t.inner + row % t.inner, j, k
    for j in range(t.count):
        k = at + j * t.inner
        if t.indices != NULL:
            t.indices[k] = indices[j]
        if t.values == NULL:
            continue
        if t.item == 4:
            (<uint32_t*>t.values)[k] = (<const uint32_t*>x)[indices[j] * t.inner]
        elif t.item == 8:
            (<uint64_t*>t.values)[k] = (<const uint64_t*>x)[indices[j] * t.inner]
        elif t.item == 2:
            (<uint16_t*>t.values)[k] = (<const uint16_t*>x)[indices[j] * t.inner]
        else:
            t.values[k] = x[indices[j] * t.inner]


cdef void sort_or_select_row(Ordering* t, Scratch* s, Key* keys, Key* other_keys, Py_ssize_t row) noexcept nogil:
    row_keys(t, t.x + (row // t.inner * t.n * t.inner + row % t.inner) * t.item, keys)
    if t.count * SELECT_FRACTION <= t.n:
        select_row(keys, other_keys, s.indices, t.n, t.count)
    else:
        sort_row(keys, other_keys, s, t.n)
    write_row(t, s.indices, row)


cdef void rows_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Ordering* t = <Ordering*>arg
    cdef bint is_64_bit = t.item == 8
    cdef Py_ssize_t key = 8 if is_64_bit else 4, row
    cdef char* scratch = <char*>malloc(2 * t.n * (key + sizeof(int64_t)))
    cdef Scratch s
    if scratch == NULL:
        t.out_of_memory = True
        return
    s.indices = <int64_t*>scratch
    s.other_indices = s.indices + t.n
    s.keys = s.other_indices + t.n
    s.other_keys = <char*>s.keys + t.n * key
    for row in range(begin, end):
        if is_64_bit:
            sort_or_select_row(t, &s, <uint64_t*>s.keys, <uint64_t*>s.other_keys, row)
        else:
            sort_or_select_row(t, &s, <uint32_t*>s.keys, <uint32_t*>s.other_keys, row)
    free(scratch)


def order(
    Array x not None, axis, bint is_ascend, Array values=None, Array places=None, values_req="write",
    places_req="write",
):
    """Write the first elements along `axis` in sorted order, their indices, or both.

    Parameters
    ----------
    x : Array
    axis : int, optional
        None: over the flattened array.
    is_ascend : bool
        Whether the smallest element comes first, rather than the largest.
    values, places : Array, optional
        Receive the elements and their indices. Shape of `x`, except that the length along `axis` is
        the number of elements to write; `values` has the dtype of `x`.
    values_req, places_req : {"write", "inplace", "add", "null"}

    Notes
    -----
    The sort is stable in both directions; NaN counts as larger than all numbers.
    """
    cdef int values_code = req_code(values_req), places_code = req_code(places_req), ax = 0
    cdef Array values_target = None, places_target = None, int64_indices = None
    cdef Py_ssize_t rows
    cdef tuple shape = x.shape
    cdef Extents e
    cdef Ordering t
    if axis is None:
        shape = (x.size,)
    else:
        ax = expect_axis("order", axis, x.ndim)
    given = [item for item in (values, places) if item is not None]
    if not given:
        raise TypeError("order: neither 'values' nor 'places' is given; pass one or both")
    split_shape(shape, ax, &e)
    t.n, t.inner = e.n, e.inner
    t.count = min((<Array>given[0]).shape[ax], t.n) if (<Array>given[0]).ndim > ax else t.n
    expected = shape[:ax] + (t.count,) + shape[ax + 1:]
    for name, item in (("values", values), ("places", places)):
        if item is not None:
            expect_shape("order", name, item, expected)
            wait_write(item)
    if values is not None:
        expect_code("order", "values", values, x.code)
    wait_read(x)
    if x.size == 0 or t.count == 0:
        return
    rows = x.size // t.n
    t.x, t.code, t.item = x.data, x.code, itemsize_of(x.code)
    t.values, t.indices, t.descending, t.out_of_memory = NULL, NULL, not is_ascend, False
    if values is not None and values_code != REQ_NULL:
        values_target = target_of(values, values_code, (x,))
        t.values = values_target.data
    if places is not None and places_code != REQ_NULL:
        places_target = target_of(places, places_code, (x,))
        int64_indices = places_target if places.code == I64 else new_array(expected, I64, x.context)
        t.indices = <int64_t*>int64_indices.data
    with nogil:
        parallel_for(rows, WORK // t.n + 1, rows_part, &t)
    if t.out_of_memory:
        raise OutOfMemoryError(f"order: cannot allocate memory to sort rows of {t.n} elements")
    if values_target is not None:
        settle(values, values_target, values_code)
    if places_target is not None:
        if int64_indices is not places_target:
            with nogil:
                run_cast(I64, places_target.code, int64_indices.data, places_target.data, places_target.size)
        settle(places, places_target, places_code)
