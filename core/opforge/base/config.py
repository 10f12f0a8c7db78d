"""Every environment variable that opforge reads, in one place.

Values are read when asked for, so that a test or a program may set them before the part that they
steer is first used. MXNet's names are accepted where the meaning is the same.
"""

import os
import sys
from dataclasses import dataclass

__all__ = ["SWITCHES", "Switch", "blas_overrides", "get", "get_bool", "get_int", "graph_limit"]


@dataclass(frozen=True)
class Switch:
    """One environment variable: its names (first is ours), default and meaning."""

    names: tuple[str, ...]
    default: str
    doc: str


SWITCHES: dict[str, Switch] = {
    s.names[0]: s
    for s in (
        Switch(
            ("OPFORGE_ENGINE_TYPE", "MXNET_ENGINE_TYPE"),
            "ThreadedEngine",
            "NaiveEngine runs every pushed task at once on the calling thread.",
        ),
        Switch(
            ("OPFORGE_NUM_THREADS", "OMP_NUM_THREADS"),
            "",
            "Threads that one kernel may use; empty: as many as this process may run on.",
        ),
        Switch(
            ("OPFORGE_CPU_WORKER_NTHREADS", "MXNET_CPU_WORKER_NTHREADS"),
            "1",
            "Worker threads of the engine, for pushed tasks.",
        ),
        Switch(
            ("OPFORGE_SPIN_US",), "50", "Microseconds a worker spins for new work before it parks."
        ),
        Switch(
            ("OPFORGE_POOL_LIMIT_MB",),
            "",
            "Most memory kept for reuse, in MiB; empty: a quarter of the machine's.",
        ),
        Switch(
            ("OPFORGE_GRAPH_LIMIT_MB",),
            "64",
            "Most MiB that one hybridized block or module keeps for graphs of earlier shapes, and "
            "as much for their idle intermediate results; 0 keeps the last graph alone.",
        ),
        Switch(
            ("OPFORGE_ISA",),
            "",
            "Instruction set of the kernels (baseline, x86_64_v3, x86_64_v4); empty: the best.",
        ),
        Switch(
            ("OPFORGE_PLUGINS",),
            "",
            "Which plugins may load: none; a,b (only these); -c (all but c); empty: all.",
        ),
        Switch(
            ("OPFORGE_CONFIG",),
            "",
            "File of settings; empty: opforge/opforge.toml in the user's configuration folder.",
        ),
        Switch(
            ("OPFORGE_PROBE",),
            "1",
            "0: plugins with native code are loaded without a trial in a process of its own.",
        ),
        Switch(("OPFORGE_STRICT",), "0", "1: a plugin that fails to load raises at once."),
        Switch(
            ("OPFORGE_STRICT_MASKS",),
            "0",
            "1: indexing an array by the result of a comparison raises instead of warning.",
        ),
        Switch(
            ("OPFORGE_PIN",),
            "",
            "Providers of contested operators: softmax=opforge-softmax,tile=acme-tile.",
        ),
        Switch(
            ("OPFORGE_CATALOGUE",),
            "",
            "index.json of `opforge catalogue build`: errors name packages with missing operators.",
        ),
        Switch(("OPFORGE_HOME", "MXNET_HOME"), "~/.opforge", "Folder of downloaded data sets."),
        Switch(
            ("OPFORGE_GLUON_REPO", "MXNET_GLUON_REPO"),
            "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/",
            "Where gluon.utils looks for files by name; also file:///folder/.",
        ),
        Switch(
            ("OPFORGE_DATA_REPO",),
            "http://data.mxnet.io/",
            "Where test_utils looks for data sets and models; also file:///folder/.",
        ),
        Switch(
            ("OPFORGE_UNPACK_LIMIT_MB",),
            "1024",
            "Most MiB that a compressed file or archive without a fixed size may unpack to.",
        ),
    )
}


def blas_overrides() -> dict[str, str]:
    """Return what the environment tells OpenBLAS about the processor, by variable.

    OpenBLAS finds out better by itself: told that a processor with AVX-512 is a Haswell, it takes
    twice the time.
    """
    names = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def get(name: str) -> str:
    """Return the value of the switch `name`, or its default."""
    switch = SWITCHES[name]
    for key in switch.names:
        if key in os.environ:
            return os.environ[key]
    return switch.default


def get_int(name: str, default: int, least: int = 1) -> int:
    """Return the switch as an int; `default` where it is empty, no number, or below `least`."""
    text = get(name).split(",")[0].strip()
    return int(text) if text.isdecimal() and int(text) >= least else default


def get_bool(name: str) -> bool:
    """Return the switch as a truth value."""
    return get(name).strip().lower() in {"1", "true", "yes", "on"}


def graph_limit() -> int:
    """Return the switch ``OPFORGE_GRAPH_LIMIT_MB`` in bytes; 0 keeps the last graph alone."""
    return min(get_int("OPFORGE_GRAPH_LIMIT_MB", 64, least=0) << 20, sys.maxsize)
