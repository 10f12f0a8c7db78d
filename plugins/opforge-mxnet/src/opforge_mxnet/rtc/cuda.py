"""`CudaModule` and `CudaKernel`: there is no CUDA here, and the error says what there is."""

from collections.abc import Sequence
from typing import Any

from opforge.base.errors import OpforgeError

__all__ = ["CudaKernel", "CudaModule"]

#: MXNet's own words first: programs may look for them.
_MESSAGE = (
    "Compile with USE_CUDA=1 and ENABLE_CUDA_RTC=1 to have CUDA runtime compilation. opforge "
    "computes on the CPU; opforge.rtc(name, inputs, outputs, kernel) compiles a kernel for it"
)


class CudaModule:
    """CUDA source to compile; always refused.

    Parameters
    ----------
    source : str
    options, exports : sequence of str

    Raises
    ------
    OpforgeError
        Always, as in an MXNet without CUDA.
    """

    def __init__(
        self, source: str, options: Sequence[str] = (), exports: Sequence[str] = ()
    ) -> None:
        raise OpforgeError(_MESSAGE)


class CudaKernel:
    """A kernel of a `CudaModule`; always refused.

    Raises
    ------
    OpforgeError
        Always, as in an MXNet without CUDA.
    """

    def __init__(self, handle: Any, name: str, is_ndarray: Any, dtypes: Any) -> None:
        raise OpforgeError(_MESSAGE)
