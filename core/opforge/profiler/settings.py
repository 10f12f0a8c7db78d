"""Settings of `set_config`: names, types, defaults, and the event kinds that they select."""

from dataclasses import dataclass, fields
from typing import Any

from ..base.errors import AttributeValueError
from ..native.threads import spans

__all__ = ["Settings", "settings_from"]

_TRUE, _FALSE = {"true", "1"}, {"false", "0"}
_WATCHED = spans.names_of_watched()


@dataclass(frozen=True)
class Settings:
    """Settings of the profiler with MXNet's names; only `continuous_dump` has another default."""

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
        """Event kinds to record while the profiler runs, as flags for `spans.watch`."""
        selected = {
            "graphs": self.profile_symbolic,
            "calls": self.profile_imperative,
            "interface": self.profile_api,
            "memory": self.profile_memory,
            "objects": True,
        }
        return sum(_WATCHED[name] for name in selected if selected[name] or self.profile_all)


def settings_from(arguments: dict[str, Any]) -> Settings:
    """Return settings from the arguments of `set_config`; strings are accepted for all types.

    Raises
    ------
    AttributeValueError
        A setting is unknown, or a value has the wrong type.
    """
    types = {field.name: field.type for field in fields(Settings)}
    for name in arguments:
        if name not in types:
            raise AttributeValueError(
                f"profiler.set_config: Cannot find argument {name!r}, "
                f"Possible Arguments: {', '.join(types)}"
            )
    settings = Settings(
        **{name: _parse_value(name, types[name], arguments[name]) for name in arguments}
    )
    if settings.profile_process != "worker":
        raise AttributeValueError(
            f"profiler.set_config: profile_process is {settings.profile_process!r}; expected "
            "'worker' because opforge's key-value stores have no servers"
        )
    if not 0 < settings.dump_period <= 86400:
        raise AttributeValueError(
            f"profiler.set_config: dump_period is {settings.dump_period!r}; expected a number of "
            "seconds above 0, at most a day"
        )
    return settings


def _parse_value(name: str, kind: Any, value: Any) -> Any:
    """Return a value converted to its setting's type."""
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
