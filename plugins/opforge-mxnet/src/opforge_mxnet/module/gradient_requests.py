"""Gradient requests of an executor: ``write``, ``add`` or ``null`` per argument."""

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["gradient_requests"]


def gradient_requests(
    arguments: Sequence[str],
    trained: Iterable[str],
    wanted_inputs: Iterable[str],
    grad_req: str | Sequence[str] | Mapping[str, str],
) -> dict[str, str]:
    """Return what to do with the gradient of each argument.

    Parameters
    ----------
    arguments : list of str
        All arguments of a symbol.
    trained : iterable of str
        The parameters that are trained.
    wanted_inputs : iterable of str
        Inputs whose gradients are also needed.
    grad_req : str, list or dict
        One request for these; or one for each argument; or requests by name, which override
        ``write`` for these.

    Raises
    ------
    ValueError
        `grad_req` is none of these.
    AssertionError
        It is a list of the wrong length.

    Examples
    --------
    >>> gradient_requests(["x", "w"], ["w"], [], "add")
    {'x': 'null', 'w': 'add'}
    >>> gradient_requests(["x", "w"], ["w"], [], {"x": "write"})
    {'x': 'write', 'w': 'write'}
    """
    if isinstance(grad_req, Mapping):
        return gradient_requests(arguments, trained, wanted_inputs, "write") | dict(grad_req)
    if isinstance(grad_req, str):
        wanted = {*trained, *wanted_inputs}
        return {name: grad_req if name in wanted else "null" for name in arguments}
    if not isinstance(grad_req, list | tuple):
        raise ValueError(
            f"grad_req must be one of str, list, tuple, or dict, got {type(grad_req).__name__}"
        )
    assert len(grad_req) == len(arguments), (
        f"grad_req has {len(grad_req)} entries, expected one for each of {list(arguments)}"
    )
    return dict(zip(arguments, grad_req, strict=True))
