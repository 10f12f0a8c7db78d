"""Checks of environment variables that are invalid or slow opforge down."""

import os
from collections.abc import Iterator

from ... import plugin
from ...base import config
from ...base.errors import OpforgeError
from ...base.limits import available_cpus
from ...base.spelling import close_names
from ...op.registry.naming import normalize, pins

__all__ = ["check_chosen_plugins", "check_switches"]

#: Subject, problem, remedy.
Row = tuple[str, str, str]
_COUNTS = ("OPFORGE_NUM_THREADS", "OPFORGE_CPU_WORKER_NTHREADS", "OPFORGE_SPIN_US")
#: Prefixes of variables that are read only by builds and tests.
_BUILD = ("OPFORGE_BUILD_", "OPFORGE_TEST_")


def check_switches() -> Iterator[Row]:
    """Yield the problems with the variables that are set."""
    yield from _unknown()
    yield from _counts()
    for name, value in config.blas_overrides().items():
        yield name, f"is {value!r}, which may halve the speed of matrix products", f"unset {name}"
    try:
        pins()
    except OpforgeError as error:
        yield "OPFORGE_PIN", str(error), "correct OPFORGE_PIN or unset it"


def _unknown() -> Iterator[Row]:
    # The variables of a plugin begin with its name.
    of_others = tuple(
        f"OPFORGE_{name.upper()}_" for state in _states() for name in state.provider.modules
    )
    for name in sorted(os.environ):
        if not name.startswith("OPFORGE_") or name in config.SWITCHES:
            continue
        if name.startswith((*_BUILD, *of_others)):
            continue
        # Compared without the common prefix, which would make all of them similar.
        ends = [switch.removeprefix("OPFORGE_") for switch in config.SWITCHES]
        close = close_names(name.removeprefix("OPFORGE_"), ends, count=1)
        remedy = f"did you mean OPFORGE_{close[0]}?" if close else f"unset {name}"
        yield name, "unknown variable", remedy


def _states() -> list[plugin.PluginState]:
    """Return the plugins' states; none if the settings are invalid, which is reported elsewhere."""
    try:
        return plugin.states()
    except OpforgeError:
        return []


def _counts() -> Iterator[Row]:
    for name in _COUNTS:
        for key in config.SWITCHES[name].names:
            text = os.environ.get(key, "")
            first = text.split(",")[0].strip()
            if text and not (first.isdecimal() and int(first) >= 0):
                yield key, f"is {text!r}, expected a number", f"unset {key}"
    threads = config.get_int("OPFORGE_NUM_THREADS", 0)
    available = available_cpus()
    if threads > available:
        yield (
            "OPFORGE_NUM_THREADS",
            f"{threads} threads for {available} available CPUs, which slows kernels down",
            f"OPFORGE_NUM_THREADS={available}",
        )


def check_chosen_plugins() -> Iterator[Row]:
    """Yield words of `OPFORGE_PLUGINS` that do not name an installed plugin."""
    words = [w.strip().lstrip("-") for w in config.get("OPFORGE_PLUGINS").split(",") if w.strip()]
    if not words or [word.lower() for word in words] == ["none"]:
        return
    known: set[str] = set()
    for state in plugin.RESOLVER.states().values():
        known.update((state.provider.key, *map(normalize, state.provider.modules)))
    for word in words:
        if normalize(word) not in known:
            close = close_names(normalize(word), known, count=1)
            remedy = f"did you mean {close[0]}?" if close else "correct OPFORGE_PLUGINS"
            yield "OPFORGE_PLUGINS", f"names {word!r}, which is not installed", remedy
