"""`mx.np.linalg`: decompositions, inverses, determinants, norms and linear systems.

NumPy computes on the CPU. Gradients are compositions of operators; `cond`, `lstsq` and
`matrix_rank` have none.
"""

from ...fallback import in_numpy
from .decompositions import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd
from .inverses import det, inv, pinv, slogdet, solve, tensorinv, tensorsolve
from .norms import matrix_power, multi_dot, norm

__all__ = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "tensorinv",
    "tensorsolve",
]


cond = in_numpy("linalg.cond")
lstsq = in_numpy("linalg.lstsq")
matrix_rank = in_numpy("linalg.matrix_rank", differentiable=False)
