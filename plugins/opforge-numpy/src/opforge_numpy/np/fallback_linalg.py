"""`mx.np.fallback_linalg`: functions of linear algebra that MXNet calls in NumPy."""

from .linalg import cond, lstsq, matrix_power, matrix_rank, multi_dot, qr

__all__ = ["cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr"]
