"""The profiler's names of MXNet before 1.0."""

import warnings

from opforge.profiler.control import dump, set_config, set_state

__all__ = ["dump_profile", "profiler_set_config", "profiler_set_state"]


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Set the profiler up: deprecated, use `set_config`.

    Parameters
    ----------
    mode : {"symbolic", "imperative", "memory", "api", "all"}
    filename : str
    """
    _warn("profiler_set_config", "set_config")
    set_config(**{f"profile_{mode}": True, "filename": filename})


def profiler_set_state(state: str = "stop") -> None:
    """Turn the profiler on or off: deprecated, use `set_state`."""
    _warn("profiler_set_state", "set_state")
    set_state(state)


def dump_profile() -> None:
    """Write the trace and stop: deprecated, use `dump`."""
    _warn("dump_profile", "dump")
    dump(True)


def _warn(former: str, name: str) -> None:
    warnings.warn(
        f"profiler.{former}() is deprecated. Please use profiler.{name}() instead", stacklevel=3
    )
