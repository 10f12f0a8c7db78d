"""Fast parsers for LIBSVM and CSV text that create no Python object per number.

A function that finds malformed text returns its position; the calling reader raises the error.
"""

from cpython.ref cimport PyObject
from libc.math cimport floor
from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint64_t
from libc.string cimport memchr

import numpy as np

__all__ = ["read_sparse_rows", "read_dense_rows"]

cdef extern from "Python.h":
    double PyOS_string_to_double(const char*, char**, PyObject*) except? -1.0

cdef enum:
    ZERO = 48                          # code of the character "0"
    MAX_DIGITS = 18                    # always fit into 64 bits
    EXACT_POWER = 22                   # powers of ten up to here are exact as double
    FAR_EXPONENT = 100000              # no number needs a larger exponent; counting stops there

cdef uint64_t EXACT_INTEGER = 1 << 53
cdef double[23] POWERS
POWERS[:] = [10.0 ** power for power in range(23)]

ctypedef fused Number:
    double
    int64_t

cdef struct Text:
    const char* at
    const char* end


cdef inline bint is_blank(char c) noexcept nogil:
    return c == b" " or c == b"\t" or c == b"\r" or c == b"\v" or c == b"\f"


cdef inline bint is_digit(char c) noexcept nogil:
    return b"0" <= c <= b"9"


cdef inline bint at_line_end(Text* text) noexcept nogil:
    return text.at == text.end or text.at[0] == b"\n" or text.at[0] == b"#"


cdef inline bint at_word_end(Text* text) noexcept nogil:
    return at_line_end(text) or is_blank(text.at[0])


cdef inline void skip_blanks(Text* text) noexcept nogil:
    while text.at < text.end and is_blank(text.at[0]):
        text.at += 1


cdef bint find_row(Text* text) noexcept nogil:
    """Skip blanks, comments and empty lines; return False at the end of the text."""
    while True:
        skip_blanks(text)
        if not at_line_end(text):
            return True
        text.at = <const char*>memchr(text.at, b"\n", text.end - text.at)
        if text.at == NULL:
            text.at = text.end
            return False
        text.at += 1


cdef inline bint ends(Text* text) noexcept nogil:
    """Return whether the integer read so far ends here."""
    return at_word_end(text) or text.at[0] == b":" or text.at[0] == b","


cdef bint any_real(Text* text, double* value) except -1 with gil:
    """Read a number as Python does: any length, inf and nan."""
    cdef char* stop = NULL
    try:
        value[0] = PyOS_string_to_double(text.at, &stop, NULL)  # the text is NUL-terminated
    except ValueError:
        return False
    text.at = stop
    return ends(text)


cdef bint real(Text* text, double* value) except -1 nogil:
    """Read a short number of moderate exponent exactly with one division; others by `any_real`."""
    cdef const char* begin = text.at
    cdef const char* at = begin
    cdef uint64_t digits = 0
    cdef int count = 0, power = 0, exponent = 0
    cdef bint is_negative = False, negative_exponent = False
    if at < text.end and (at[0] == b"-" or at[0] == b"+"):
        is_negative = at[0] == b"-"
        at += 1
    while at < text.end and is_digit(at[0]) and count < MAX_DIGITS:
        digits = digits * 10 + <uint64_t>(at[0] - ZERO)
        count += 1
        at += 1
    if at < text.end and at[0] == b".":
        at += 1
        while at < text.end and is_digit(at[0]) and count < MAX_DIGITS:
            digits = digits * 10 + <uint64_t>(at[0] - ZERO)
            count += 1
            power -= 1
            at += 1
    if count and at < text.end and (at[0] == b"e" or at[0] == b"E"):
        at += 1
        if at < text.end and (at[0] == b"-" or at[0] == b"+"):
            negative_exponent = at[0] == b"-"
            at += 1
        if at == text.end or not is_digit(at[0]):
            count = 0
        while at < text.end and is_digit(at[0]):
            exponent = min(exponent * 10 + (at[0] - ZERO), FAR_EXPONENT)
            at += 1
        power += -exponent if negative_exponent else exponent
    text.at = at
    if not count or digits > EXACT_INTEGER or not -EXACT_POWER <= power <= EXACT_POWER or not ends(text):
        text.at = begin
        return any_real(text, value)
    value[0] = <double>digits * POWERS[power] if power >= 0 else <double>digits / POWERS[-power]
    if is_negative:
        value[0] = -value[0]
    return True


cdef bint integer(Text* text, int64_t* value) noexcept nogil:
    """Read an integer."""
    cdef bint is_negative = False
    cdef int64_t found = 0, digit
    cdef const char* begin
    if text.at < text.end and (text.at[0] == b"-" or text.at[0] == b"+"):
        is_negative = text.at[0] == b"-"
        text.at += 1
    begin = text.at
    while text.at < text.end and is_digit(text.at[0]):
        digit = text.at[0] - ZERO
        if found < (INT64_MIN + digit) // 10:
            return False
        found = found * 10 - digit     # negative, because the negative range is larger by one
        text.at += 1
    if text.at == begin or not ends(text) or (not is_negative and found < -INT64_MAX):
        return False
    value[0] = found if is_negative else -found
    return True


cdef struct SparseRows:
    double* labels
    double* values
    int64_t* columns
    int64_t* bounds
    int64_t* offsets
    Py_ssize_t count                   # number of rows
    bint ascend                        # columns ascend in every row


cdef bint sparse_row(Text* text, double width, SparseRows* rows) except -1 nogil:
    """Read the pairs of one row; return False with `text` at a malformed word."""
    cdef int64_t last = -1, stored = rows.bounds[rows.count]
    cdef double column, value
    cdef const char* begin
    while True:
        skip_blanks(text)
        if at_line_end(text):
            rows.count += 1
            rows.bounds[rows.count] = stored
            return True
        begin = text.at
        if not real(text, &column) or text.at == text.end or text.at[0] != b":":
            text.at = begin
            return False
        text.at += 1
        if (
            not (0 <= column < width and column == floor(column))
            or not real(text, &value)
            or not at_word_end(text)
        ):
            text.at = begin
            return False
        rows.columns[stored] = <int64_t>column
        rows.values[stored] = value
        if rows.columns[stored] < last:
            rows.ascend = False
        last = rows.columns[stored]
        stored += 1


cdef bint label(Text* text, double* value) except -1 nogil:
    """Read a label, skipping its weight; return False with `text` at a malformed word."""
    cdef const char* begin = text.at
    cdef double weight
    if real(text, value):
        if text.at < text.end and text.at[0] == b":":
            text.at += 1
            if not real(text, &weight):
                text.at = begin
                return False
        if at_word_end(text):
            return True
    text.at = begin
    return False


def read_sparse_rows(bytes text not None, double width):
    """Read lines that consist of a label and ``index:value`` pairs.

    Comments (from ``#`` to the end of the line), empty lines and label weights are skipped.

    Parameters
    ----------
    text : bytes
    width : float
        Exclusive upper bound of the indices.

    Returns
    -------
    labels, values, columns, bounds, offsets : numpy.ndarray
        Labels of the rows; stored values and their columns; start of each row among these; position
        of each row in the text.
    ascend : bool
        Whether the columns of every row ascend.
    stop : int
        Position of the first malformed word; -1 if all are valid.
    """
    cdef Py_ssize_t max_rows = text.count(b"\n") + 1, pairs = text.count(b":") + 1
    cdef list made = [np.empty(max_rows), np.empty(pairs), *(
        np.empty(size, np.int64) for size in (pairs, max_rows + 1, max_rows)
    )]
    cdef double[::1] labels = made[0], values = made[1]
    cdef int64_t[::1] columns = made[2], bounds = made[3], offsets = made[4]
    cdef SparseRows rows = [&labels[0], &values[0], &columns[0], &bounds[0], &offsets[0], 0, True]
    cdef const char* begin = text
    cdef Text rest = [begin, begin + len(text)]
    cdef bint fits = True
    bounds[0] = 0
    with nogil:
        while fits and find_row(&rest):
            rows.offsets[rows.count] = rest.at - begin
            fits = label(&rest, &rows.labels[rows.count]) and sparse_row(&rest, width, &rows)
    cdef Py_ssize_t count = rows.count, stored = bounds[count]
    sizes = (count, stored, stored, count + 1, count)
    found = [part[:size] for part, size in zip(made, sizes)]
    return *found, bool(rows.ascend), -1 if fits else rest.at - begin


cdef bint dense_row(Text* text, Py_ssize_t width, Number* row, Number low, Number high) except -1 nogil:
    """Read the numbers of one row; return False with `text` at a malformed, missing or surplus one."""
    cdef Py_ssize_t column
    cdef const char* begin
    for column in range(width):
        skip_blanks(text)
        begin = text.at
        if not (real(text, &row[column]) if Number is double else integer(text, &row[column])):
            text.at = begin
            return False
        if row[column] < low or row[column] > high:
            text.at = begin
            return False
        skip_blanks(text)
        if column < width - 1:
            if text.at == text.end or text.at[0] != b",":
                return False
            text.at += 1
    return at_line_end(text)


def read_dense_rows(bytes text not None, Number[:, ::1] out not None, Number low, Number high):
    """Read lines of comma-separated numbers, skipping comments and empty lines.

    Parameters
    ----------
    text : bytes
    out : buffer of float64 or int64
        One column per number of a line.
    low, high : float or int
        Numbers outside [low, high] count as malformed.

    Returns
    -------
    count : int
        Number of rows read.
    stop : int
        Position of a malformed row, or of the first row beyond the size of `out`; -1 if all were read.
    """
    cdef const char* begin = text
    cdef Text rest = [begin, begin + len(text)]
    cdef Py_ssize_t count = 0, width = out.shape[1]
    cdef bint fits = True
    with nogil:
        while find_row(&rest):
            fits = width > 0 and count < out.shape[0] and dense_row(&rest, width, &out[count, 0], low, high)
            if not fits:
                break
            count += 1
    return count, -1 if fits else rest.at - begin
