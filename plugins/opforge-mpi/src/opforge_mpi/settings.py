"""`Settings` of the plugin, from arguments of `init` or from the environment."""

import os
from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the plugin; they must be equal on all ranks.

    Parameters
    ----------
    timeout : float
        Seconds that a rank waits for another one.
    bucket_bytes : int
        Size of the buckets in which gradients are summed.
    shared_memory : bool
        Sum in shared memory between ranks of one machine.
    sharing_ranks : int
        Maximum number of ranks that share memory; 0: all of a machine.
    half_messages : bool
        Send float32 gradients as float16.
    """

    timeout: float
    bucket_bytes: int
    shared_memory: bool
    sharing_ranks: int = 0
    half_messages: bool = False

    @classmethod
    def read(
        cls,
        timeout: float | None = None,
        bucket_mb: float | None = None,
        shared_memory: bool | None = None,
        sharing_ranks: int | None = None,
        half_messages: bool | None = None,
    ) -> "Settings":
        """Return the settings from the arguments or, if they are None, the environment.

        Raises
        ------
        ValueError
            A number is out of range.

        Examples
        --------
        >>> settings = Settings.read(5, bucket_mb=1, shared_memory=True, sharing_ranks=4)
        >>> settings.bucket_bytes, settings.sharing_ranks
        (1048576, 4)
        """
        if timeout is None:
            timeout = _number("OPFORGE_MPI_TIMEOUT", "60")
        if bucket_mb is None:
            bucket_mb = _number("OPFORGE_MPI_BUCKET_MB", "1")
        if shared_memory is None:
            shared_memory = os.environ.get("OPFORGE_MPI_SHARED_MEMORY", "1") != "0"
        sharing: float | None = sharing_ranks
        if sharing is None:
            sharing = _number("OPFORGE_MPI_SHARING_RANKS", "0")
        if half_messages is None:
            half_messages = os.environ.get("OPFORGE_MPI_HALF_MESSAGES", "0") == "1"
        for name, value in (("timeout", timeout), ("bucket_mb", bucket_mb)):
            if not value > 0:
                raise ValueError(f"opforge_mpi.init: got {name}={value!r}; expected more than 0")
        if sharing < 0 or not float(sharing).is_integer():
            raise ValueError(
                f"opforge_mpi.init: got sharing_ranks={sharing!r}; expected the number of ranks of "
                "a machine that share memory, or 0 for all"
            )
        nbytes = int(bucket_mb * 2**20)
        return cls(timeout, nbytes, shared_memory, int(sharing), half_messages)


def _number(variable: str, default: str) -> float:
    text = os.environ.get(variable, default)
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{variable}={text!r} in the environment; expected a number") from None
