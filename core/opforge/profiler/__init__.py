"""Profiler: `mx.profiler`, as in MXNet 1.9.1.

Configure it with `set_config`, turn it on and off with `set_state`, print the table with `dumps`,
and write the trace, for chrome://tracing or https://ui.perfetto.dev, with `dump`. When off, it
costs one integer test per call. See docs/howto/profile_a_program.md.
"""

from ..base.module_aliases import add_aliases as _add_aliases
from .control import dump as dump
from .control import dumps as dumps
from .control import pause as pause
from .control import resume as resume
from .control import set_config as set_config
from .control import set_state as set_state
from .instruments import Counter as Counter
from .instruments import Domain as Domain
from .instruments import Event as Event
from .instruments import Frame as Frame
from .instruments import Marker as Marker
from .instruments import Task as Task
from .scopes import scope as scope

__all__ = [
    "Counter",
    "Domain",
    "Event",
    "Frame",
    "Marker",
    "Task",
    "dump",
    "dumps",
    "pause",
    "resume",
    "scope",
    "set_config",
    "set_state",
]

_add_aliases(__name__)
