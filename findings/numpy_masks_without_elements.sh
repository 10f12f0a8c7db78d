#!/bin/sh
# NumPy 2.4.6: a boolean index without elements fits an axis of any length, and selects nothing.
#
# A mask has to have the length of the axis that it indexes: x of shape (3,) rejects masks of length 1, 2 and 4. A mask of
# length 0 is the exception, also as one axis of a mask of several; so is it in array-api-strict 2.6.1, and the suite
# of the array API standard expects it. Seen: shapes (0,), (0, 2) and (0,), and an IndexError for each other length.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 array-api-strict==2.6.1
"$folder/bin/python" - <<'END'
import array_api_strict
import numpy


def mask(library, *shape):
    return library.zeros(shape, dtype=bool if library is numpy else library.bool)


for library in (numpy, array_api_strict):
    vector, matrix = library.ones((3,)), library.ones((3, 2))
    shapes = [
        tuple(found.shape)
        for found in (
            vector[mask(library, 0)],
            matrix[mask(library, 0)],
            matrix[mask(library, 0, 2)],
        )
    ]
    print(library.__name__, shapes)
    assert shapes == [(0,), (0, 2), (0,)], "the behavior changed"
    for length in (1, 2, 4):
        try:
            vector[mask(library, length)]
        except IndexError:
            continue
        raise AssertionError(f"a mask of length {length} was accepted: the behavior changed")
END
