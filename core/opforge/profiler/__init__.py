"""Profiler: `mx.profiler`, as in MXNet 1.9.1.

Set it up with `set_config`, turn it on and off with `set_state`, print the table with `dumps`, and
write the trace, which chrome://tracing and https://ui.perfetto.dev open, with `dump`. Off, it costs
a test of one number for each call. See docs/howto/profile_a_program.md.
"""

from .deprecated import dump_profile as dump_profile
from .deprecated import profiler_set_config as profiler_set_config
from .deprecated import profiler_set_state as profiler_set_state
from .objects import Counter as Counter
from .objects import Domain as Domain
from .objects import Event as Event
from .objects import Frame as Frame
from .objects import Marker as Marker
from .objects import Task as Task
from .running import dump as dump
from .running import dumps as dumps
from .running import pause as pause
from .running import resume as resume
from .running import set_config as set_config
from .running import set_state as set_state
from .scopes import scope as scope

__all__ = [
    "Counter",
    "Domain",
    "Event",
    "Frame",
    "Marker",
    "Task",
    "dump",
    "dump_profile",
    "dumps",
    "pause",
    "profiler_set_config",
    "profiler_set_state",
    "resume",
    "scope",
    "set_config",
    "set_state",
]
