"""Imports point downwards through the layers of the core, and plugins import plugin_api only."""

import re
from pathlib import Path

import pytest

from .sources import circles, import_graph, sources_under

ROOT = Path(__file__).resolve().parents[2]

#: Lowest first. A module may import from lines above its own in this list and from its own package;
#: the names on one line do not import each other.
LINES = (
    # abi and include are the header of the native interface and its declarations for Cython.
    ("base", "abi", "include", "typing"),
    ("native", "error"),
    ("op",),
    ("std", "autograd", "plugin", "profiler", "name", "attribute", "build"),
    ("ndarray",),
    ("operator",),
    ("symbol",),
    (
        "engine",
        "random",
        "lr_scheduler",
        "metric",
        "io",
        "checkpoint",
    ),
    ("initializer", "exporter"),
    ("optimizer",),
    ("kvstore",),
    ("gluon",),
    ("cli",),
    ("plugin_api", "__main__"),
)
RANK = {name: rank for rank, line in enumerate(LINES) for name in line}
#: The parts of each package, lowest first; a part imports only from those before it.
PARTS = {
    "native": (
        "memory",
        "threads",
        "kernels",
        "loops",
        "array",
        "calls",
        "dispatch",
        "graph",
        "abi",
    ),
    "op": ("declaring", "registry", "rules", "calling", "abi"),
    "cli": ("printing", "reference", "inspection", "networks", "commands"),
}
#: Modules of such a package that are in no part.
OUTSIDE = {"cli": ("app",)}


def _part(module: str) -> str:
    """Return the part of the core that `module` is in, for instance 'gluon'."""
    return module.split(".")[1] if "." in module else ""


def _core_imports(source, known):
    return {m for m in source.imports(known) if m == "opforge" or m.startswith("opforge.")}


def _ranks(core_sources, known):
    """Rank every part; a re-exporting module (`opforge.context`) ranks with its highest source."""
    ranks = dict(RANK)
    faces = [
        s for s in core_sources if s.is_face and _part(s.module) not in RANK and _part(s.module)
    ]
    for _ in faces:  # a module may re-export another such module
        for face in faces:
            below = [ranks.get(_part(m), 0) for m in _core_imports(face, known)]
            ranks[_part(face.module)] = max(below, default=0)
    return ranks


#: The packages of the core. What only some users need is a plugin.
PACKAGES = {
    "autograd",
    "base",
    "checkpoint",
    "cli",
    "gluon",
    "include",
    "initializer",
    "io",
    "kvstore",
    "metric",
    "native",
    "ndarray",
    "op",
    "optimizer",
    "plugin",
    "profiler",
    "std",
    "symbol",
}


def test_the_core_has_no_other_packages():
    found = {path.parent.name for path in (ROOT / "core/opforge").glob("*/__init__.py")}
    assert found | {"include"} == PACKAGES


def test_every_part_has_a_line(core_sources, known_modules):
    ranks = _ranks(core_sources, known_modules)
    missing = sorted(
        {s.shown for s in core_sources if _part(s.module) and _part(s.module) not in ranks}
    )
    assert not missing, f"give these a line in LINES: {missing}"


def test_imports_go_downwards(core_sources, known_modules):
    ranks = _ranks(core_sources, known_modules)
    wrong = []
    for source in core_sources:
        own = _part(source.module)
        for target in sorted(_core_imports(source, known_modules)):
            other = _part(target)
            if not own or own == other:
                continue
            is_face = own not in RANK
            if other and (ranks[other] < ranks[own] or is_face):
                continue
            wrong.append(f"{source.shown} imports {target}")
    assert not wrong, "\n".join(["these imports go up or sideways:", *wrong])


def _upward(graph, package):
    """Return the imports within a package from a part to a higher one."""
    parts = {f"opforge.{package}.{part}": at for at, part in enumerate(PARTS[package])}

    def rank_of(module):
        return next((at for part, at in parts.items() if f"{module}.".startswith(f"{part}.")), None)

    return [
        f"{module} imports {target}"
        for module, targets in sorted(graph.items())
        for target in sorted(targets)
        if None not in (rank_of(module), rank_of(target)) and rank_of(target) > rank_of(module)
    ]


@pytest.mark.parametrize("package", PARTS)
def test_parts_import_downwards(core_graph, package):
    wrong = _upward(core_graph, package)
    assert not wrong, "\n".join(["these imports go from a part to a higher one:", *wrong])


@pytest.mark.parametrize("package", PARTS)
def test_every_module_is_in_a_part(core_sources, package):
    inside = [s for s in core_sources if s.module.startswith(f"opforge.{package}.")]
    found = {s.module.removeprefix(f"opforge.{package}.").split(".")[0] for s in inside}
    assert found == {*PARTS[package], *OUTSIDE.get(package, ())}


def test_no_module_imports_itself_by_way_of_others(core_graph):
    found = circles(core_graph)
    assert not found, "\n".join(["circles of imports:", *map(" -> ".join, found)])


def _imports_of_tree(folder, files):
    """Return the imports of a small tree; `files` has texts by path in native."""
    for name, text in files.items():
        path = folder / "opforge" / "native" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    return import_graph(sources_under(folder, folder))


def test_a_planted_circle_is_found(tmp_path):
    graph = _imports_of_tree(
        tmp_path,
        {
            "loops/cast.pyx": "from opforge.native.loops cimport copying\n",
            "loops/copying.pxd": "from opforge.native.loops.types cimport (\n    F32,\n)\n",
            "loops/types.py": "def late():\n    from .cast import run_cast\n",
            "memory/types.py": "",
        },
    )
    modules = [f"opforge.native.loops.{name}" for name in ("cast", "copying", "types")]
    assert circles(graph) == [modules]


def test_imports_for_type_checkers_count(tmp_path):
    """They compile nothing, but two modules that import each other cannot be read separately."""
    imports = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .shape import Shape\n"
    graph = _imports_of_tree(
        tmp_path, {"loops/area.py": imports, "loops/shape.py": "from . import area\n"}
    )
    assert circles(graph) == [["opforge.native.loops.area", "opforge.native.loops.shape"]]


def test_a_planted_import_of_a_higher_room_is_found(tmp_path):
    graph = _imports_of_tree(
        tmp_path,
        {
            "memory/pool.pyx": "def late():\n    from opforge.native.array import Array\n",
            "array/array.pyx": "from opforge.native.memory.pool cimport allocate\n",
            "array/tasks.py": "from ..calls import reductions\n",
            "calls/reductions.pyx": "cimport opforge.native.array.array\n",
        },
    )
    assert _upward(graph, "native") == [
        "opforge.native.array.tasks imports opforge.native.calls.reductions",
        "opforge.native.memory.pool imports opforge.native.array",
    ]


def test_package_import_is_light(core_sources, known_modules):
    (face,) = [s for s in core_sources if s.module == "opforge"]
    parts = {_part(m) for m in _core_imports(face, known_modules)}
    # plugin configures where the registry looks up names; it imports neither metadata nor pluggy.
    assert parts <= {"base", "plugin"}, "opforge/__init__.py loads all other modules lazily"


def test_kernels_are_alone(core_sources, known_modules):
    wrong = [
        f"{source.shown} imports {target}"
        for source in core_sources
        if ".kernels." in source.module and source.module != "opforge.native.kernels.isa"
        for target in _core_imports(source, known_modules)
        # Codes of element types are constants: nothing is imported when the kernels run.
        if not target.startswith(("opforge.native.kernels", "opforge.native.memory.types"))
    ]
    assert not wrong, wrong


def test_pluggy_stays_in_plugin(core_sources, known_modules):
    users = {
        source.shown
        for source in core_sources
        if any(m.split(".")[0] == "pluggy" for m in source.imports(known_modules))
    }
    assert all(user.startswith("core/opforge/plugin/") for user in users), sorted(users)


def test_plugins_use_plugin_api_only(plugin_sources, known_modules):
    wrong = [
        f"{source.shown} imports {target}"
        for source in plugin_sources
        for target in source.imports(known_modules)
        if target.split(".")[0] == "opforge"
        and target != "opforge.plugin_api"
        # Tools for authors, and MXNet's names for the core: they read registries, metadata and
        # graphs, and are released with the core.
        and source.module.partition(".")[0] not in ("opforge_tools", "opforge_mxnet")
    ]
    assert not wrong, "\n".join(["a plugin imports opforge.plugin_api and nothing else:", *wrong])


def test_plugins_do_not_import_each_other(plugin_sources, known_modules):
    wrong = []
    for source in plugin_sources:
        own = source.module.split(".")[0]
        for target in source.imports(known_modules):
            if re.match(r"opforge_\w+", target) and target.split(".")[0] != own:
                wrong.append(f"{source.shown} imports {target}")
    assert not wrong, wrong


def test_plugin_api_is_small():
    lines = (ROOT / "core/opforge/plugin_api.py").read_text().splitlines()
    found = f"plugin_api.py has {len(lines)} lines; it re-exports and does no more"
    assert len(lines) <= 130, found
