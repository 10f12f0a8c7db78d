"""Pairs of cases: inference, and forward with backward.

A case named "..., forward" runs inference without recording; "..., both" runs forward and
backward and computes the gradients of data and parameters.
"""

from dataclasses import replace

from .case import Array, Case

__all__ = ["pair", "wanted"]


def pair(
    group: str,
    name: str,
    opforge: str,
    torch: str,
    targets: tuple[float | None, float | None],
    sizes: dict[str, int],
    arrays: dict[str, Array],
    flops: str = "",
    nbytes: str = "",
) -> tuple[Case, ...]:
    """Return the forward case and the forward-backward case of a call; omit one without a target.

    The latter counts three times the operations: the result and the gradients of its two factors.

    Parameters
    ----------
    group, name : str
    opforge, torch : str
        The call in each library.
    targets : tuple of float or None
        Targets of the two cases.
    sizes : dict of str to int
    arrays : dict of str to Array
    flops, nbytes : str, optional
        Work of the forward pass.
    """
    forward = Case(
        f"{name}, forward",
        group,
        opforge=opforge,
        torch=torch,
        sizes=sizes,
        arrays={key: replace(array, needs_grad=False) for key, array in arrays.items()},
        target=targets[0],
        flops=flops,
        nbytes=nbytes,
    )
    both = replace(
        forward,
        name=f"{name}, both",
        opforge=f"both(lambda: {opforge})",
        torch=f"both(lambda: {torch})",
        arrays=arrays,
        program="both_ways",
        records=True,
        target=targets[1],
        flops=flops and f"3 * {flops}",
        nbytes=nbytes and f"2 * {nbytes}",
    )
    return tuple(case for case in (forward, both) if case.target is not None)


def wanted(*shape: str, fill: str = "uniform") -> Array:
    """Return an input whose gradient the forward-backward case computes."""
    return Array(shape, fill, needs_grad=True)
