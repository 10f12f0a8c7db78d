"""All environment variables that opforge reads.

Values are read on access, so that a test or program may set them until the component that they
configure is first used. MXNet's names are accepted if the meaning is the same.
"""

import os
import sys
from typing import NamedTuple

__all__ = ["SWITCHES", "Switch", "blas_overrides", "get", "get_bool", "get_int", "graph_limit"]


class Switch(NamedTuple):
    """An environment variable: its names (opforge's first), default and meaning."""

    names: tuple[str, ...]
    default: str
    doc: str


SWITCHES: dict[str, Switch] = {
    s.names[0]: s
    for s in (
        Switch(
            ("OPFORGE_ENGINE_TYPE", "MXNET_ENGINE_TYPE"),
            "ThreadedEngine",
            "NaiveEngine runs every pushed task immediately on the calling thread.",
        ),
        Switch(
            ("OPFORGE_NUM_THREADS", "OMP_NUM_THREADS"),
            "",
            "Threads that one kernel may use; empty: the number of CPUs available to this process.",
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
            "Upper bound, in MiB, of memory kept for reuse; empty: a quarter of the machine's.",
        ),
        Switch(
            ("OPFORGE_GRAPH_LIMIT_MB",),
            "64",
            "Upper bound, in MiB, of what a hybridized block or module keeps for graphs of earlier "
            "shapes, and of their idle intermediate results; 0 keeps only the last graph.",
        ),
        Switch(
            ("OPFORGE_SUBGRAPH_BACKEND", "MXNET_SUBGRAPH_BACKEND"),
            "NONE",
            "Subgraph backend that replaces parts of each symbol that is bound; NONE: no backend.",
        ),
        Switch(
            ("OPFORGE_ISA",),
            "",
            "Instruction set of the kernels (baseline, x86_64_v3, x86_64_v4); empty: the best.",
        ),
        Switch(
            ("OPFORGE_PLUGINS",),
            "",
            "Plugins that may load: none; a,b (only these); -c (all but c); -lock FILE (as in "
            "this lock file); empty: all.",
        ),
        Switch(
            ("OPFORGE_CONFIG",),
            "",
            "Settings file; empty: opforge/opforge.toml in the user's configuration folder.",
        ),
        Switch(
            ("OPFORGE_PROBE",),
            "1",
            "0: load plugins with native code without a trial in a separate process.",
        ),
        Switch(
            ("OPFORGE_STRICT",), "0", "1: raise an error immediately if a plugin fails to load."
        ),
        Switch(
            ("OPFORGE_STRICT_MASKS",),
            "0",
            "1: indexing an array with the result of a comparison raises instead of warning.",
        ),
        Switch(
            ("OPFORGE_PIN",),
            "",
            "Providers of contested operators: softmax=opforge-softmax,tile=acme-tile.",
        ),
        Switch(
            ("OPFORGE_CATALOGUE",),
            "",
            "index.json of `opforge catalogue build`; errors suggest packages from it.",
        ),
        Switch(("OPFORGE_HOME", "MXNET_HOME"), "~/.opforge", "Folder of downloaded data sets."),
        Switch(
            ("OPFORGE_MODEL_DIR",),
            "",
            "Folder with parameter files of models, which pretrained=True searches first.",
        ),
        Switch(
            ("OPFORGE_GLUON_REPO", "MXNET_GLUON_REPO"),
            "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/",
            "Base URL of files that gluon.utils downloads by name; may be file:///folder/.",
        ),
        Switch(
            ("OPFORGE_DATA_REPO",),
            "http://data.mxnet.io/",
            "Base URL of data sets and models for test_utils; may be file:///folder/.",
        ),
        Switch(
            ("OPFORGE_UNPACK_LIMIT_MB",),
            "1024",
            "Upper bound, in MiB, of the unpacked size of files and archives without a fixed size.",
        ),
    )
}


def blas_overrides() -> dict[str, str]:
    """Return the environment variables that override OpenBLAS's detection of the processor.

    OpenBLAS detects it better on its own: with an AVX-512 processor declared as Haswell it
    takes twice the time.
    """
    names = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def get(name: str) -> str:
    """Return the value of the switch `name`, or its default."""
    switch = SWITCHES[name]
    for key in switch.names:
        value = os.environ.get(key)
        if value is not None:
            return value
    return switch.default


def get_int(name: str, default: int, least: int = 1) -> int:
    """Return the switch as an int; `default` if it is empty, not a number, or below `least`."""
    text = get(name).split(",")[0].strip()
    return int(text) if text.isdecimal() and int(text) >= least else default


def get_bool(name: str) -> bool:
    """Return the switch as a bool."""
    return get(name).strip().lower() in {"1", "true", "yes", "on"}


def graph_limit() -> int:
    """Return the switch ``OPFORGE_GRAPH_LIMIT_MB`` in bytes; 0 keeps only the last graph."""
    return min(get_int("OPFORGE_GRAPH_LIMIT_MB", 64, least=0) << 20, sys.maxsize)
