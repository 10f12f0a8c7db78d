"""Features of this build of opforge: instruction set, BLAS, threads."""

import platform
from collections.abc import Iterator

__all__ = ["Feature", "Features", "feature_list", "features"]


class Feature:
    """Feature of the build, for example an instruction set.

    Attributes
    ----------
    name : str
    enabled : bool
    value : str
        Detail, for example the name of the selected instruction set.
    """

    def __init__(self, name: str, enabled: bool, value: str = "") -> None:
        self.name, self.enabled, self.value = name, enabled, value

    def __repr__(self) -> str:
        text = f"={self.value}" if self.value else ""
        return f"{'✔' if self.enabled else '✖'} {self.name}{text}"


class Features(dict[str, Feature]):
    """Features by name, both MXNet's and opforge's own; a singleton.

    Examples
    --------
    >>> import opforge
    >>> opforge.runtime.Features().is_enabled("BLAS_OPEN")
    True
    >>> opforge.runtime.Features() is opforge.runtime.Features()
    True
    """

    _only: "Features | None" = None

    def __new__(cls) -> "Features":
        """Return the only instance."""
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __init__(self) -> None:
        super().__init__()
        self.update((feature.name, feature) for feature in _all())

    def is_enabled(self, feature_name: str) -> bool:
        """Return whether the feature with this name (in any case) is enabled.

        Raises
        ------
        RuntimeError
            No feature has this name.
        """
        key = feature_name.upper()
        if key not in self:
            raise RuntimeError(
                f"Feature {feature_name!r} is unknown, known features are: {sorted(self)}"
            )
        return self[key].enabled

    def __repr__(self) -> str:
        return str(list(self.values()))


# fmt: off
#: Features of MXNet's builds, in its order.
_MXNET = (
    "CUDA", "CUDNN", "NCCL", "CUDA_RTC", "TENSORRT", "CPU_SSE", "CPU_SSE2", "CPU_SSE3",
    "CPU_SSE4_1", "CPU_SSE4_2", "CPU_SSE4A", "CPU_AVX", "CPU_AVX2", "OPENMP", "SSE", "F16C",
    "JEMALLOC", "BLAS_OPEN", "BLAS_ATLAS", "BLAS_MKL", "BLAS_APPLE", "LAPACK", "MKLDNN", "OPENCV",
    "CAFFE", "PROFILER", "DIST_KVSTORE", "CXX14", "INT64_TENSOR_SIZE", "SIGNAL_HANDLER", "DEBUG",
    "TVM_OP",
)
#: MXNet features that every build of opforge has, and those that its kernels for an instruction
#: set use.
_ALWAYS = {"BLAS_OPEN", "CXX14", "INT64_TENSOR_SIZE"}
_USED_BY = {
    "baseline": {"CPU_SSE", "CPU_SSE2", "CPU_SSE3", "CPU_SSE4_1", "CPU_SSE4_2", "SSE"},
    "x86_64_v3": {"CPU_AVX", "CPU_AVX2", "F16C"},
}
# fmt: on


def _all() -> Iterator[Feature]:
    from opforge.native.kernels import isa
    from opforge.native.threads import cpu, parallel

    chosen, known = isa.best(), cpu.supported()
    is_x86 = platform.machine().lower() in {"x86_64", "amd64"}
    used = [_USED_BY.get(name, set()) for name in known] if is_x86 else []
    present = _ALWAYS.union(*used)
    for name in _MXNET:
        yield Feature(name, name in present, "scipy-openblas32" if name == "BLAS_OPEN" else "")
    yield Feature("CPU", True)
    yield Feature("ISA", True, chosen)
    for name in known:
        yield Feature(f"KERNELS_{name.upper()}", True, "in use" if name == chosen else "")
    yield Feature("THREADS", True, str(parallel.get_num_threads()))


def features() -> Features:
    """Return the features of this build; the same as `Features()`."""
    return Features()


def feature_list() -> list[Feature]:
    """Return the features of this build as a list."""
    return list(_all())
