"""Cases of linear algebra: many small matrices, and one large one."""

from .both_ways import pair
from .case import Array, Case

__all__ = ["LINALG"]

_GROUP = "linalg"
_SQUARE = ("count", "order", "order")


def _matrices(fill: str) -> Array:
    return Array(_SQUARE, fill, needs_grad=True)


def _operators(count: int, order: int, target: float) -> tuple[Case, ...]:
    """Return the cases of all operators on `count` matrices."""
    definite = {"a": _matrices("definite")}
    system = {"a": _matrices("triangular"), "b": _matrices("uniform")}
    rows = (
        ("Cholesky", "nd.linalg.potrf(a)", "torch.linalg.cholesky(a)", definite),
        ("inverse", "nd.linalg.inverse(a)", "torch.linalg.inv(a)", definite),
        ("det", "nd.linalg.det(a)", "torch.linalg.det(a)", definite),
        (
            "triangular solve",
            "nd.linalg.trsm(a, b)",
            "torch.linalg.solve_triangular(a, b, upper=False)",
            system,
        ),
    )
    sizes = {"count": count, "order": order}
    return tuple(
        case
        for name, opforge, torch, arrays in rows
        for case in pair(
            _GROUP,
            f"{name}, {count} of {order}x{order}",
            opforge,
            torch,
            (target, target),
            sizes,
            arrays,
        )
    )


LINALG = (*_operators(1000, 16, 0.5), *_operators(1, 1024, 1.05))
