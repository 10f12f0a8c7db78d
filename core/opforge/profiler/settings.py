"""Settings of `set_config`: names, types and defaults, and the events that they watch."""

from dataclasses import dataclass, fields
from typing import Any

from ..base.errors import AttributeValueError
from ..native.threads import spans

__all__ = ["Settings", "settings_from"]

_TRUE, _FALSE = {"true", "1"}, {"false", "0"}
_WATCHED = spans.names_of_watched()


@dataclass(frozen=True)
class Settings:
    """The profiler's settings, with MXNet's names; the defaults differ in `continuous_dump`."""

    profile_all: bool = False
    profile_symbolic: bool = True
    profile_imperative: bool = True
    profile_memory: bool = True
    profile_api: bool = True
    filename: str = "profile.json"
    continuous_dump: bool = False
    dump_period: float = 1.0
    aggregate_stats: bool = False
    profile_process: str = "worker"

    @property
    def watched(self) -> int:
        """Return the events to time while the profiler runs, for `spans.watch`."""
        wanted = {
            "graphs": self.profile_symbolic,
            "calls": self.profile_imperative,
            "interface": self.profile_api,
            "memory": self.profile_memory,
            "objects": True,
        }
        return sum(_WATCHED[name] for name in wanted if wanted[name] or self.profile_all)


def settings_from(given: dict[str, Any]) -> Settings:
    """Return settings from the arguments of `set_config`; strings are accepted for all.

    Raises
    ------
    AttributeValueError
        There is no such setting, or a value is not of its type.
    """
    types = {field.name: field.type for field in fields(Settings)}
    for name in given:
        if name not in types:
            raise AttributeValueError(
                f"profiler.set_config: Cannot find argument {name!r}, "
                f"Possible Arguments: {', '.join(types)}"
            )
    settings = Settings(**{name: _parsed(name, types[name], given[name]) for name in given})
    if settings.profile_process != "worker":
        raise AttributeValueError(
            f"profiler.set_config: profile_process is {settings.profile_process!r}, expected "
            "'worker': key-value stores of opforge have no servers"
        )
    if not 0 < settings.dump_period <= 86400:
        raise AttributeValueError(
            f"profiler.set_config: dump_period is {settings.dump_period!r}, expected seconds "
            "above 0, a day at most"
        )
    return settings


def _parsed(name: str, kind: Any, value: Any) -> Any:
    """Return a value as its setting's type."""
    text = str(value).strip()
    if kind is str:
        return str(value)
    if kind is bool and text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    try:
        if kind is float:
            return float(text)
    except ValueError:
        pass
    raise AttributeValueError(
        f"profiler.set_config: Invalid Parameter format for {name} expect "
        f"{'boolean' if kind is bool else 'float'} but value={value!r}"
    )
