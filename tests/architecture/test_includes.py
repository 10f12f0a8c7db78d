"""A header's change rebuilds what is compiled from it, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def with_included():
    place = ROOT / "core" / "_build" / "includes.py"
    spec = importlib.util.spec_from_file_location("build_includes", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.with_included


@pytest.fixture
def tree(tmp_path):
    """Two folders of headers, one of which includes itself in a circle, and a source."""
    texts = {
        "low/base.h": "",
        "low/first.h": '#include "base.h"\n#  include "second.hpp"\n#include <math.h>\n',
        "high/second.hpp": '#include "first.h"\n#include "not_ours.h"\n',
        "high/other.h": '// #include "base.h"\n',
        "source.pyx": 'cdef extern from *:\n    """\n    #include "first.h"\n    """\n',
    }
    for name, text in texts.items():
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("start", "headers"),
    [
        ("low/base.h", ["low/base.h"]),
        ("high/other.h", ["high/other.h"]),
        ("low/first.h", ["high/second.hpp", "low/base.h", "low/first.h"]),
        ("source.pyx", ["high/second.hpp", "low/base.h", "low/first.h"]),
    ],
)
def test_headers_and_what_they_include(with_included, tree, start, headers):
    found = with_included([tree / start], [tree / "low", tree / "high"])
    assert [path.relative_to(tree).as_posix() for path in found] == headers


def test_every_header_of_the_core_is_found_by_what_names_it(with_included):
    folders = sorted({path.parent for path in (ROOT / "core").rglob("*.h*")})
    known = {path.name for folder in folders for path in folder.glob("*.h*")}
    for folder in folders:
        for path in folder.glob("*.h*"):
            included = {found.name for found in with_included([path], folders)}
            named = {name for name in known if f'#include "{name}"' in path.read_text()}
            assert named <= included, path
