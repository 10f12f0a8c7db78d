"""Print the tests that a change reaches, by the imports of sources and tests.

    python scripts/changed_tests.py [BASE]

A change is the difference of the working tree from the commit BASE, by default from where the
branch left main. Reached are the changed modules, those that import them, directly or not, and the
tests that import one of them or lie at its mirrored path. Public modules that only re-export names
are not followed: through them every module reaches all others, so run all tests before a merge.
"""

import subprocess
import sys
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: Folders that are reached from files that are not modules, by the start of their paths.
FOLDERS = {
    "core/opforge/include": ["tests/abi", "plugins/opforge-convolution/tests"],
    "core/opforge/native": ["tests/unit/native"],
    "core/_build": ["tests/architecture"],
    "docs": ["tests/docs"],
    "README.md": ["tests/docs"],
    "examples": ["tests/examples", "tests/docs"],
    "scripts": ["tests/docs", "tests/architecture"],
    "conftest.py": ["tests", "plugins"],
}
#: Quick tests of the sources as a whole.
ALWAYS = "tests/architecture"


def load(name: str, path: Path) -> Any:
    """Return the module in a file of the repository."""
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


SOURCES = load("sources_of_checkout", ROOT / "tests" / "architecture" / "sources.py")


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def changed_files(base: str | None) -> list[str]:
    """Return the paths that differ from `base`, new ones included."""
    start = base or git("merge-base", "HEAD", "main")[0]
    return [
        *git("diff", "--name-only", "--no-renames", start),
        *git("ls-files", "--others", "--exclude-standard"),
    ]


def all_sources() -> list[Any]:
    """Return the sources of core and plugins."""
    bases = [(ROOT / "core" / "opforge", ROOT / "core")]
    bases += [(folder, folder) for folder in sorted(ROOT.glob("plugins/*/src"))]
    return [source for folder, base in bases for source in SOURCES.sources_under(folder, base)]


def reached_modules(sources: list[Any], changed: Iterable[str]) -> set[str]:
    """Return the modules in the changed files and all that import them, except through faces."""
    graph = SOURCES.import_graph(sources)
    faces = {source.module for source in sources if source.is_face}
    importers: dict[str, set[str]] = {}
    for module, imported in graph.items():
        for name in imported:
            importers.setdefault(name, set()).add(module)
    paths = set(changed)
    found: set[str] = set()
    waiting = [source.module for source in sources if source.shown in paths]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += importers.get(module, set()) - faces
    return found


def mirrored_tests(source: Any) -> list[Path]:
    """Return the files and folders at the mirrored path of a source."""
    name = f"test_{source.path.stem.lstrip('_')}.py"
    if source.shown.startswith("plugins/"):
        return sorted(_plugin_tests(source.shown).rglob(name))
    inner = source.path.relative_to(ROOT / "core" / "opforge").parent
    folder = ROOT / "tests" / "unit" / inner
    return [path for path in (folder / name, folder / source.path.stem) if path.exists()]


def _plugin_tests(name: str) -> Path:
    """Return the folder of tests of the plugin that has the file `name`."""
    return ROOT.joinpath(*Path(name).parts[:2], "tests")


def importing_tests(modules: set[str], known: frozenset[str]) -> list[Path]:
    """Return the test files that import one of the modules."""
    files = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("plugins/*/tests/**/test_*.py")]
    tests = [SOURCES.Source(path, ROOT) for path in files]
    return [test.path for test in tests if test.imports(known) & modules]


def tests_of_file(name: str) -> list[Path]:
    """Return the tests that a changed file reaches, except by imports."""
    path = ROOT / name
    if path.name.startswith("test_") and path.suffix == ".py":
        return [path] if path.exists() else []  # it may have been removed
    if "tests" in Path(name).parts[:3]:  # what other tests share
        return [path.parent] if path.parent.exists() else []
    if name.startswith("plugins/"):  # found by entry points, which nothing imports
        return [_plugin_tests(name)]
    if name.startswith("core/opforge/") and path.suffix in (".py", ".pyx", ".pxd"):
        return []
    starts = (start for start in FOLDERS if f"{name}/".startswith(f"{start}/"))
    return [ROOT / folder for start in starts for folder in FOLDERS[start]]


def tests_reached(changed: list[str]) -> list[str]:
    """Return the paths of the tests that changed files reach, without those below others."""
    sources = all_sources()
    modules = reached_modules(sources, changed)
    found = {path for name in changed for path in tests_of_file(name)}
    found |= {p for source in sources if source.module in modules for p in mirrored_tests(source)}
    found |= set(importing_tests(modules, frozenset(source.module for source in sources)))
    found.add(ROOT / ALWAYS)
    return sorted(
        path.relative_to(ROOT).as_posix() for path in found if not found & set(path.parents)
    )


def main(base: str | None = None) -> None:
    """Print the tests of a change, one path a line."""
    print("\n".join(tests_reached(changed_files(base))))


if __name__ == "__main__":
    main(*sys.argv[1:])
