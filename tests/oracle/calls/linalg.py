"""opforge-linalg."""

from itertools import product

import numpy as np

from .call import Call


def general(*shape):
    """Return a function that draws matrices with determinants away from zero."""

    def draw(rng):
        return rng.uniform(-0.4, 0.4, shape) + 1.5 * np.eye(shape[-2], shape[-1])

    return draw


def definite(*shape):
    """Return a function that draws symmetric matrices with positive, distinct eigenvalues."""

    def draw(rng):
        x = rng.uniform(-0.4, 0.4, shape)
        return x + np.swapaxes(x, -1, -2) + np.diag(np.arange(2.0, shape[-1] + 2))

    return draw


BATCHES = [(), (3,), (20,), (2, 3)]


def call(name, *inputs, **attributes):
    return Call(f"linalg.{name}", inputs, attributes, tuple(range(len(inputs))))


CALLS = [
    *(
        call(name, general(*batch, n, n))
        for name, batch, n in product(("inverse", "det", "slogdet", "sumlogdiag"), BATCHES, (2, 5))
    ),
    *(
        call(name, definite(*batch, n, n), lower=lower)
        for name, batch, n, lower in product(("potrf", "potri"), BATCHES, (2, 5, 40), (True, False))
    ),
    *(call("syevd", definite(*batch, n, n)) for batch, n in product(BATCHES, (2, 5))),
    *(call("gelqf", general(*batch, 3, n)) for batch, n in product(BATCHES, (3, 6))),
    *(
        call(
            name,
            general(2, 4, 4),
            (2, 3, 4) if right else (2, 4, 3),
            transpose=transpose,
            rightside=right,
            lower=lower,
            alpha=-0.5,
        )
        for name, transpose, right, lower in product(("trmm", "trsm"), *[(True, False)] * 3)
    ),
    *(
        call(
            "gemm",
            (2, 4, 3) if first else (2, 3, 4),
            (2, 5, 4) if second else (2, 4, 5),
            (2, 3, 5),
            transpose_a=first,
            transpose_b=second,
            alpha=2.0,
            beta=beta,
        )
        for first, second, beta in product((True, False), (True, False), (0.0, -0.5))
    ),
    *(
        call("gemm2", (4, 2, 3) if first else (3, 2, 4), (4, 2, 5), transpose_a=first, axis=axis)
        for first, axis in product((True, False), (0, -3))
    ),
    *(
        call("syrk", (*batch, 3, 4), transpose=transpose, alpha=2.0)
        for batch, transpose in product(BATCHES, (True, False))
    ),
    *(
        call(name, (*batch, *shape), offset=offset)
        for (name, shape), batch, offset in product(
            (("makediag", (3,)), ("extractdiag", (4, 4))), BATCHES, (-1, 0, 2)
        )
    ),
    *(
        call(name, (*batch, *shape), offset=offset, lower=lower)
        for (name, shape), batch, offset, lower in product(
            (("maketrian", (6,)), ("extracttrian", (4, 4))), BATCHES, (-1, 0, 2), (True, False)
        )
    ),
]
