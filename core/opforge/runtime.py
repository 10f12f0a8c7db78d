"""What this build of opforge has: instruction set, BLAS, threads."""

from collections.abc import Iterator

__all__ = ["Feature", "Features", "feature_list", "features"]


class Feature:
    """One property of the build.

    Attributes
    ----------
    name : str
    enabled : bool
    value : str
        What it is, for instance the chosen instruction set.
    """

    def __init__(self, name: str, enabled: bool, value: str = "") -> None:
        self.name, self.enabled, self.value = name, enabled, value

    def __repr__(self) -> str:
        text = f"={self.value}" if self.value else ""
        return f"{'✔' if self.enabled else '✖'} {self.name}{text}"


class Features(dict[str, Feature]):
    """All features by name.

    Examples
    --------
    >>> import opforge
    >>> opforge.runtime.features().is_enabled("CPU")
    True
    """

    def is_enabled(self, name: str) -> bool:
        """Tell whether the feature `name` (any case) is there.

        Raises
        ------
        RuntimeError
            No feature has this name.
        """
        key = name.upper()
        if key not in self:
            raise RuntimeError(f"Feature {name!r} is unknown, known features are: {sorted(self)}")
        return self[key].enabled

    def __repr__(self) -> str:
        return str(list(self.values()))


def _all() -> Iterator[Feature]:
    from .native.kernels import isa
    from .native.threads import cpu, parallel

    chosen = isa.best()
    yield Feature("CPU", True)
    yield Feature("CUDA", False)
    yield Feature("ISA", True, chosen)
    for name in cpu.supported():
        yield Feature(f"KERNELS_{name.upper()}", True, "in use" if name == chosen else "")
    yield Feature("BLAS_OPEN", True, "scipy-openblas32")
    yield Feature("THREADS", True, str(parallel.get_num_threads()))


def features() -> Features:
    """Return the features of this build."""
    return Features((f.name, f) for f in _all())


def feature_list() -> list[Feature]:
    """Return the features of this build as a list."""
    return list(_all())
