"""Build core and plugins with sanitizers and run the tests of their native code under them.

    python scripts/sanitize.py [address] [thread] [-- ARGUMENTS OF PYTEST]

``address`` is AddressSanitizer with UndefinedBehaviorSanitizer, ``thread`` is ThreadSanitizer;
without a name both run. Each build has a separate folder, ``build/sanitize-NAME``. Needs GCC on
Linux, and the packages that the tests need; see docs/howto/sanitize.md.
"""

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
#: Tests of the plugins, most of which are C, or Python around kernels of the core. Those of
#: opforge-mpi are about processes of an MPI that was built without sanitizers; in some of them
#: ranks are threads.
PLUGINS = [
    *sorted(
        str(path.relative_to(ROOT))
        for path in ROOT.glob("plugins/*/tests")
        if path.parent.name != "opforge-mpi"
    ),
    *(
        f"plugins/opforge-mpi/tests/{name}.py"
        for name in (
            "collectives/test_all_reduce_buffers",
            "process/test_progress_thread",
            "training/test_gradients_of_threads",
        )
    ),
]
SUPPRESSIONS = TESTS / "sanitize" / "thread.supp"
#: Exit status of a process in which a sanitizer found an error; no other program here uses it.
FOUND = 86
SKIPPED = [
    # Sanitizers of GCC 12 crash if a fork happens while another thread is inside malloc.
    "tests/unit/native/threads/test_fork_and_exit.py",
    # Their calloc touches every page.
    "tests/unit/native/memory/test_numpy_memory.py::test_huge_zeros_use_no_memory_until_touched",
    # They keep freed memory for a while, so that its use is detected.
    "plugins/opforge-linalg/tests/test_gradients.py::test_memory_stays_flat",
]


@dataclass(frozen=True)
class Mode:
    """Build variant: compiler switch, libraries that must be loaded first, and tests to run."""

    switch: str
    libraries: tuple[str, ...]
    environment: dict[str, str]
    tests: tuple[str, ...]


MODES = {
    "address": Mode(
        switch="address,undefined",
        # libstdc++ as well: AddressSanitizer looks up its exception functions at startup.
        libraries=("libasan.so", "libubsan.so", "libstdc++.so"),
        environment={
            # CPython keeps objects until it exits; the C++ driver checks for leaks instead.
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"
            f":max_allocation_size_mb=4096:exitcode={FOUND}",
            "UBSAN_OPTIONS": f"halt_on_error=1:print_stacktrace=1:exitcode={FOUND}",
            "PYTHONMALLOC": "malloc",
        },
        tests=("tests/unit/native", "tests/hostile", *PLUGINS),
    ),
    "thread": Mode(
        switch="thread",
        libraries=("libtsan.so",),
        environment={
            "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:die_after_fork=0:exitcode={FOUND}",
            # ThreadSanitizer does not see how the threads of NumPy's OpenBLAS synchronize.
            "OPENBLAS_NUM_THREADS": "1",
            # Run loops on several threads, regardless of the number of processors.
            "OPFORGE_NUM_THREADS": "4",
        },
        tests=("tests/unit/native", *PLUGINS),
    ),
}


def run(*command: object, **environment: str) -> int:
    """Run a command in the checkout and return its status."""
    print("$", *command, flush=True)
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=ROOT, env={**os.environ, **environment}, check=False
    ).returncode


def must(*command: object, **environment: str) -> None:
    """Run a command; its failure ends the program."""
    status = run(*command, **environment)
    if status:
        sys.exit(f"sanitize: failed ({status}): {' '.join(map(str, command))}")


def instruction_set() -> str:
    """Return the one instruction set to build: one with vector code if this processor has it."""
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return "baseline"
    flags = set(Path("/proc/cpuinfo").read_text().split())
    needed = {"avx2", "fma", "bmi1", "bmi2", "f16c", "abm"}
    return "x86_64_v3" if needed <= flags else "baseline"


def build(name: str, mode: Mode, isa: str) -> Path:
    """Build core and plugins; return the folder that both are imported from."""
    base = ROOT / "build" / f"sanitize-{name}"
    library = base / "lib"
    switches = {"OPFORGE_SANITIZE": mode.switch, "OPFORGE_BUILD_ISA": isa}
    setup = [sys.executable, "setup.py", "-q"]
    folders = ["--build-base", base, "--build-lib", library]
    must(*setup, "build", *folders, **switches)
    plugins = sorted(ROOT.glob("plugins/*/pyproject.toml"))
    pip = [sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--no-build-isolation"]
    switches["PYTHONPATH"] = str(library)
    switches["LDFLAGS"] = f"-fsanitize={mode.switch}"
    # As for the core (core/_build/flags.py): with -fwrapv signed overflow is not reported.
    switches["CFLAGS"] = f"{switches['LDFLAGS']} -g -fno-omit-frame-pointer -fno-wrapv"
    switches["DIST_EXTRA_CONFIG"] = str(own_folders(base))
    must(*pip, "--upgrade", "--target", library, *[path.parent for path in plugins], **switches)
    return library


def own_folders(base: Path) -> Path:
    """Return a setuptools configuration that keeps plugins from reusing another build."""
    path = base / "setuptools.cfg"
    path.write_text(f"[build]\nbuild-base = {base.relative_to(ROOT)}\n")
    return path


def library_path(name: str) -> str:
    """Return the path of the compiler's library `name`."""
    compiler = os.environ.get("CXX", "g++").split()
    found = subprocess.run(
        [*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(found).is_absolute():
        sys.exit(f"sanitize: {compiler[0]} has no {name}; install GCC's sanitizer libraries")
    return found


def fixed_addresses() -> list[str]:
    """Return a command prefix that disables address randomization if ThreadSanitizer needs it."""
    prefix = ["setarch", platform.machine(), "-R"]
    bits = Path("/proc/sys/vm/mmap_rnd_bits")
    return prefix if bits.exists() and int(bits.read_text()) > 28 else []


def run_driver(name: str, mode: Mode) -> int:
    """Compile and run the C++ driver of engine and pool, with leak detection."""
    program = ROOT / "build" / f"sanitize-{name}" / "driver"
    flags = ["-std=c++17", "-O1", "-g", f"-fsanitize={mode.switch}", "-pthread"]
    include = ROOT / "core" / "opforge" / "native" / "threads"
    compiler = os.environ.get("CXX", "g++").split()
    must(*compiler, *flags, f"-I{include}", TESTS / "sanitize" / "driver.cc", "-o", program)
    options = {key: value for key, value in mode.environment.items() if key != "ASAN_OPTIONS"}
    return run(*fixed_addresses(), program, **options)


def left_out(test: str) -> str:
    """Return the pytest option that excludes a file or a test."""
    return f"--{'deselect' if '::' in test else 'ignore'}={test}"


def run_tests(mode: Mode, library: Path, isa: str, arguments: list[str]) -> int:
    """Run pytest with the sanitizer's libraries loaded before the interpreter."""
    preload = " ".join(library_path(name) for name in mode.libraries)
    chosen = arguments or [path for path in mode.tests if (ROOT / path).exists()]
    skipped = [left_out(test) for test in SKIPPED]
    return run(
        *["env", f"LD_PRELOAD={preload}", *fixed_addresses(), sys.executable, "-m", "pytest"],
        *["-q", "-p", "no:cacheprovider", "--capture=sys", "-m", "not slow", *skipped, *chosen],
        **mode.environment,
        PYTHONPATH=str(library),
        OPFORGE_ISA=isa,
    )


def main(arguments: list[str]) -> int:
    """Return 0 if no error was found."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    names, rest = arguments[:cut] or list(MODES), arguments[cut + 1 :]
    unknown = sorted(set(names) - set(MODES))
    if unknown:
        sys.exit(f"sanitize: {unknown} are unknown; choose from {list(MODES)}")
    isa = instruction_set()
    failed = []
    for name in names:
        library = build(name, MODES[name], isa)
        if run_driver(name, MODES[name]) or run_tests(MODES[name], library, isa, rest):
            failed.append(name)
    print(f"sanitize: {'found something under ' + ', '.join(failed) if failed else 'clean'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
