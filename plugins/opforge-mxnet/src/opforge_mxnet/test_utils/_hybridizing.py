"""Comparison of a block with its hybridized version, under MXNet's name."""

from collections.abc import Callable, Sequence
from typing import Any

from opforge import autograd
from opforge.ndarray import NDArray

from ._comparison import assert_almost_equal

__all__ = ["check_gluon_hybridize_consistency"]


def check_gluon_hybridize_consistency(
    net_builder: Callable[..., Any],
    data_l: Sequence[NDArray],
    numpy_func: Callable[..., Any] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Compare outputs and gradients of a block with and without hybridization.

    Parameters
    ----------
    net_builder : callable
        ``net_builder(prefix=...)`` returns the block, which must not draw random numbers.
    data_l : list of NDArray
        Inputs of the block.
    numpy_func : callable, optional
        Reference implementation on NumPy arrays, compared with the first output.
    test_grad : bool, default True
        Whether to compare gradients as well.
    rtol, atol : float

    Raises
    ------
    AssertionError
        Outputs or gradients differ.
    """
    nets = [net_builder(prefix="net_") for _ in range(2)]
    for net in nets:
        net.initialize()
    nets[1].hybridize()
    plain = _run(nets[0], data_l, test_grad)  # infers the shapes of deferred parameters
    _run(nets[1], data_l, False)
    for name, parameter in nets[1].collect_params().items():
        parameter.set_data(nets[0].collect_params()[name].data())
    hybridized = _run(nets[1], data_l, test_grad)
    for one, other in zip(plain, hybridized, strict=True):
        assert_almost_equal(one, other, rtol, atol)
    if numpy_func is not None:
        expected = numpy_func(*(data.asnumpy() for data in data_l))
        assert_almost_equal(plain[0], expected, rtol, atol)


def _run(net: Any, data_l: Sequence[NDArray], with_gradients: bool) -> list[NDArray]:
    """Return the output, and on request the gradients of the inputs."""
    inputs = [data.copy() for data in data_l]
    if not with_gradients:
        return [net(*inputs)]
    for data in inputs:
        data.attach_grad()
    with autograd.record():
        output = net(*inputs)
    output.backward(output)
    return [output, *(data.grad for data in inputs)]
