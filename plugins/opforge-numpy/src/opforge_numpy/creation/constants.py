"""Element types and constants, under NumPy's names."""

import math

import numpy as np

__all__ = [
    "NAN",
    "NINF",
    "NZERO",
    "PINF",
    "PZERO",
    "NaN",
    "bool",
    "bool_",
    "e",
    "euler_gamma",
    "float16",
    "float32",
    "float64",
    "inf",
    "int8",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "uint8",
]

float16, float32, float64 = np.float16, np.float32, np.float64
uint8, int8, int32, int64 = np.uint8, np.int8, np.int32, np.int64
bool_ = np.bool_
pi, e, euler_gamma = math.pi, math.e, float(np.euler_gamma)
inf = PINF = math.inf
NINF = -math.inf
nan = NaN = NAN = math.nan
PZERO, NZERO = 0.0, -0.0
newaxis = None
bool = bool  # NumPy's alias of Python's type
