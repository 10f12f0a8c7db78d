"""A changed file rebuilds the modules that depend on it, and no others."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def dependencies():
    path = ROOT / "core" / "_build" / "dependencies.py"
    spec = importlib.util.spec_from_file_location("build_dependencies", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.dependencies


@pytest.fixture
def tree(tmp_path):
    """Two folders of headers, one of which includes itself in a cycle, and Cython sources."""
    texts = {
        "low/base.h": "",
        "low/first.h": '#include "base.h"\n#  include "second.hpp"\n#include <math.h>\n',
        "high/second.hpp": '#include "first.h"\n#include "not_ours.h"\n',
        "high/other.h": '// #include "base.h"\n',
        "acme/source.pyx": 'cdef extern from *:\n    """\n    #include "first.h"\n    """\n',
        "acme/glue.pyx": "from . cimport table\nfrom numpy cimport ndarray\n",
        "acme/glue.pxd": "from acme.inner.deep cimport (\n    a, b,\n)\ncimport acme.alone as x\n",
        "acme/table.pxd": 'cdef extern from "other.h":\n    int n\n',
        "acme/inner/deep.pxd": "from ..table cimport n\n",
        "acme/alone.pxd": "",
        "acme/unused.pxd": "",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("start", "cython", "headers"),
    [
        ("low/base.h", [], ["low/base.h"]),
        ("high/other.h", [], ["high/other.h"]),
        ("low/first.h", [], ["high/second.hpp", "low/base.h", "low/first.h"]),
        (
            "acme/source.pyx",
            ["acme/source.pyx"],
            ["high/second.hpp", "low/base.h", "low/first.h"],
        ),
        (
            "acme/glue.pyx",
            [
                *("acme/alone.pxd", "acme/glue.pxd", "acme/glue.pyx"),
                *("acme/inner/deep.pxd", "acme/table.pxd"),
            ],
            ["high/other.h"],
        ),
    ],
)
def test_dependencies(dependencies, tree, start, cython, headers):
    found = dependencies(tree / start, [tree / "low", tree / "high"], [tree])
    names = [[path.relative_to(tree).as_posix() for path in paths] for paths in found]
    assert names == [cython, headers]


def test_every_core_header_is_found_by_its_includers(dependencies):
    folders = sorted({path.parent for path in (ROOT / "core").rglob("*.h*")})
    known = {path.name for folder in folders for path in folder.glob("*.h*")}
    for folder in folders:
        for path in folder.glob("*.h*"):
            _, headers = dependencies(path, folders, [])
            named = {name for name in known if f'#include "{name}"' in path.read_text()}
            assert named <= {found.name for found in headers}, path
