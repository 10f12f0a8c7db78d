#!/bin/sh
# Cython 3.3.1 truncates a float that is passed for a C integer argument.
#
# `def f(int n)` accepts 1.5 and computes with 1, without an error or a warning, as it does for
# NumPy's float64. C functions of Python itself, such as `range` or `chr`, raise a TypeError.
# Cython rejects strings, which shows that arguments are checked, and True is 1:
#
#     f(1.5) = 1   f(numpy.float64(1.5)) = 1   f(True) = 1   f("1"): TypeError
#
# Take an untyped argument and call `operator.index` where a whole number is required. Needs a C
# compiler and Python's headers.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet cython==3.3.1 numpy==2.4.6 setuptools==84.2.1
cd "$folder"
cat > typed.pyx <<'END'
def f(int n):
    return n
END
bin/cythonize -3 --inplace --quiet typed.pyx > build.log
bin/python -W error - <<'END'
import numpy
from typed import f

print(f(1.5), f(numpy.float64(1.5)), f(True))
assert (f(1.5), f(numpy.float64(1.5)), f(True)) == (1, 1, 1), "the behavior changed"
for function, argument in ((f, "1"), (chr, 65.5)):
    try:
        function(argument)
    except TypeError as error:
        print("TypeError:", error)
    else:
        raise AssertionError(f"{function.__name__}({argument!r}) should be an error")
END
