"""`load` picks the module of the best instruction set that is selected, built and supported."""

import pytest

from opforge.native.kernels import isa
from opforge.op.abi import load


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that creates modules of a package, each containing its name."""
    folder = tmp_path / f"sets_{abs(hash(tmp_path))}"  # modules are cached by name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(*names):
        for name in names:
            (folder / f"{name}.py").write_text("")
        return f"{folder.name}._native"

    return make


@pytest.mark.parametrize(
    ("built", "best", "wanted"),
    [
        (["_native_baseline", "_native_x86_64_v3"], "x86_64_v4", "_native_x86_64_v3"),
        (["_native_baseline", "_native_x86_64_v3"], "baseline", "_native_baseline"),
        (["_native"], "baseline", "_native"),
    ],
)
def test_the_best_that_is_built_is_taken(package, monkeypatch, built, best, wanted):
    if best == "x86_64_v4":
        pytest.importorskip("opforge.native.kernels.x86_64_v4.elementwise", exc_type=ImportError)
    monkeypatch.setattr(isa, "best", lambda: best)
    assert load(package(*built)).__name__.endswith(f".{wanted}")


def test_missing_builds_raise_import_error(package):
    with pytest.raises(ImportError, match=r"_native is built for none of baseline"):
        load(package())


def test_an_error_inside_a_module_is_that_error(package, tmp_path):
    name = package("_native_baseline")
    folder = tmp_path / name.partition(".")[0]
    (folder / "_native_baseline.py").write_text("import no_such_thing_at_all")
    with pytest.raises(ModuleNotFoundError, match="no_such_thing_at_all"):
        load(name)
