"""Placeholders for `CudaModule` and `CudaKernel`; their error names the alternative for the CPU."""

from collections.abc import Sequence
from typing import Any

from opforge.base.errors import OpforgeError

__all__ = ["CudaKernel", "CudaModule"]

#: Starts with MXNet's message, because programs may look for it.
_MESSAGE = (
    "Compile with USE_CUDA=1 and ENABLE_CUDA_RTC=1 to have CUDA runtime compilation. opforge "
    "computes on the CPU. Compile a kernel for it with opforge.rtc(name, inputs, outputs, kernel)"
)


class CudaModule:
    """CUDA source to compile; always rejected.

    Parameters
    ----------
    source : str
    options, exports : sequence of str

    Raises
    ------
    OpforgeError
        Always, as in a build of MXNet without CUDA.
    """

    def __init__(
        self, source: str, options: Sequence[str] = (), exports: Sequence[str] = ()
    ) -> None:
        raise OpforgeError(_MESSAGE)


class CudaKernel:
    """Kernel of a `CudaModule`; always rejected.

    Raises
    ------
    OpforgeError
        Always, as in a build of MXNet without CUDA.
    """

    def __init__(self, handle: Any, name: str, is_ndarray: Any, dtypes: Any) -> None:
        raise OpforgeError(_MESSAGE)
