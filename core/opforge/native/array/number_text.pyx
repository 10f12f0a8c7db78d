"""Numbers of text, without an object for each: LIBSVM's sparse rows and rows between commas.

What is malformed is found here and told by the reader: a function returns the place in the text that it
did not get beyond.
"""

from cpython.ref cimport PyObject
from libc.math cimport floor
from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint64_t
from libc.string cimport memchr

import numpy as np

__all__ = ["read_sparse_rows", "read_whole_rows"]

cdef extern from "Python.h":
    double PyOS_string_to_double(const char*, char**, PyObject*) except? -1.0

cdef enum:
    ZERO = 48                          # the character
    MOST_DIGITS = 18                   # that surely fit into 64 bits
    EXACT_POWER = 22                   # powers of ten up to here are exact as double
    FAR_EXPONENT = 100000              # no number needs a larger one; the count stops there

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
    """Go behind blanks, comments and empty lines; False: to the end."""
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
    """Is what was read a whole number, which nothing belongs to that follows?"""
    return at_word_end(text) or text.at[0] == b":" or text.at[0] == b","


cdef bint any_real(Text* text, double* value) except -1 with gil:
    """Read a number as Python does: of any length, inf and nan."""
    cdef char* stop = NULL
    try:
        value[0] = PyOS_string_to_double(text.at, &stop, NULL)  # the text ends with a zero
    except ValueError:
        return False
    text.at = stop
    return ends(text)


cdef bint real(Text* text, double* value) except -1 nogil:
    """Read a number that is not far from 1 or long, and hence exact by one division, else `any_real`."""
    cdef const char* begin = text.at
    cdef const char* at = begin
    cdef uint64_t digits = 0
    cdef int count = 0, power = 0, exponent = 0
    cdef bint is_negative = False, sinks = False
    if at < text.end and (at[0] == b"-" or at[0] == b"+"):
        is_negative = at[0] == b"-"
        at += 1
    while at < text.end and is_digit(at[0]) and count < MOST_DIGITS:
        digits = digits * 10 + <uint64_t>(at[0] - ZERO)
        count += 1
        at += 1
    if at < text.end and at[0] == b".":
        at += 1
        while at < text.end and is_digit(at[0]) and count < MOST_DIGITS:
            digits = digits * 10 + <uint64_t>(at[0] - ZERO)
            count += 1
            power -= 1
            at += 1
    if count and at < text.end and (at[0] == b"e" or at[0] == b"E"):
        at += 1
        if at < text.end and (at[0] == b"-" or at[0] == b"+"):
            sinks = at[0] == b"-"
            at += 1
        if at == text.end or not is_digit(at[0]):
            count = 0
        while at < text.end and is_digit(at[0]):
            exponent = min(exponent * 10 + (at[0] - ZERO), FAR_EXPONENT)
            at += 1
        power += -exponent if sinks else exponent
    text.at = at
    if not count or digits > EXACT_INTEGER or not -EXACT_POWER <= power <= EXACT_POWER or not ends(text):
        text.at = begin
        return any_real(text, value)
    value[0] = <double>digits * POWERS[power] if power >= 0 else <double>digits / POWERS[-power]
    if is_negative:
        value[0] = -value[0]
    return True


cdef bint whole(Text* text, int64_t* value) noexcept nogil:
    """Read a whole number."""
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
        found = found * 10 - digit     # below zero, where there is one number more
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
    Py_ssize_t count                   # of rows
    bint ascend                        # in each row the columns do


cdef bint sparse_row(Text* text, double width, SparseRows* rows) except -1 nogil:
    """Read the pairs of one row; False: `text` is at the word that is none."""
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
    """Read a label and leave its weight out; False: `text` is at the word that is none."""
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
    """Read lines of a label and of ``index:value`` pairs.

    Comments, from ``#`` to the end of a line, empty lines and weights of labels are left out.

    Parameters
    ----------
    text : bytes
    width : float
        Indices are whole numbers below it.

    Returns
    -------
    labels, values, columns, bounds, offsets : numpy.ndarray
        Of rows: labels, what they store, in which columns, where each begins among these, and its place
        in the text.
    ascend : bool
        Whether the columns of each row do.
    stop : int
        The place of the first word that is malformed; -1 if there is none.
    """
    cdef Py_ssize_t most = text.count(b"\n") + 1, pairs = text.count(b":") + 1
    cdef list made = [np.empty(most), np.empty(pairs), *(
        np.empty(size, np.int64) for size in (pairs, most + 1, most)
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


cdef bint dense_row(Text* text, Py_ssize_t width, Number* row, Number least, Number most) except -1 nogil:
    """Read the numbers of one row; False: `text` is at one that is none, that lacks or is too much."""
    cdef Py_ssize_t place
    cdef const char* begin
    for place in range(width):
        skip_blanks(text)
        begin = text.at
        if not (real(text, &row[place]) if Number is double else whole(text, &row[place])):
            text.at = begin
            return False
        if row[place] < least or row[place] > most:
            text.at = begin
            return False
        skip_blanks(text)
        if place < width - 1:
            if text.at == text.end or text.at[0] != b",":
                return False
            text.at += 1
    return at_line_end(text)


def read_whole_rows(bytes text not None, Number[:, ::1] out not None, Number least, Number most):
    """Read lines of numbers that commas separate; comments and empty lines are left out.

    Parameters
    ----------
    text : bytes
    out : buffer of float64 or int64
        With as many columns as there are numbers in a line.
    least, most : float or int
        Numbers beyond them are malformed.

    Returns
    -------
    count : int
        How many rows were read.
    stop : int
        The place where a row is malformed, or the first that `out` has no room for; -1 if there is none.
    """
    cdef const char* begin = text
    cdef Text rest = [begin, begin + len(text)]
    cdef Py_ssize_t count = 0, width = out.shape[1]
    cdef bint fits = True
    with nogil:
        while find_row(&rest):
            fits = width > 0 and count < out.shape[0] and dense_row(&rest, width, &out[count, 0], least, most)
            if not fits:
                break
            count += 1
    return count, -1 if fits else rest.at - begin
