"""Pages of modules: those of opforge, and those that plugins provide."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def extension():
    added = [str(ROOT / "scripts"), str(ROOT / "docs" / "_extensions")]
    sys.path[:0] = added
    try:
        path = ROOT / "docs" / "_extensions" / "module_pages.py"
        spec = importlib.util.spec_from_file_location("module_pages", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        del sys.path[: len(added)]
    return module


@pytest.mark.plugins
def test_modules_of_plugins_have_pages_under_the_names_that_programs_import(extension):
    found = dict(extension.public_api.modules())
    image = found["opforge.image"]
    assert image is found["opforge.img"]
    page = extension.module_page(image, ["opforge.image", "opforge.img"], {})
    assert page.startswith("# opforge.image\n\nAlso `opforge.img`.\n")
    assert ".. autoclass:: opforge.image.Augmenter\n" in page
    assert "opforge_image" not in page


@pytest.mark.plugins
def test_data_sets_and_iterators_of_plugins_are_described(extension):
    modules = dict(extension.public_api.modules())
    page = extension.module_page(modules["opforge.io"], ["opforge.io"], {})
    assert ".. autoclass:: opforge.io.CSVIter\n" in page
    assert "   Provided by opforge-mxnet.\n" in page
    page = extension.module_page(modules["opforge.gluon.data"], ["opforge.gluon.data"], {})
    assert ".. autoclass:: opforge.gluon.data.ImageFolderDataset\n" in page


@pytest.mark.plugins
def test_every_module_is_in_the_reference(extension):
    index = (ROOT / "docs" / "reference" / "index.md").read_text()
    pages = extension.module_pages()
    assert {"opforge.image", "opforge.mod", "opforge.contrib.text.vocab"} <= set(pages)
    for name in pages:
        assert f"{name}\n" in index, name


def test_private_bases_are_replaced_by_their_bases(extension):
    class Base:
        pass

    class _Sized(Base):
        pass

    class _More(_Sized, dict):
        pass

    bases = [_More, Base]
    extension.keep_public(None, "", None, None, bases)
    assert bases == [Base, dict] or bases == [dict, Base]


@pytest.mark.plugins
def test_methods_that_scikit_learn_adds_are_left_out(extension):
    from opforge.sklearn import NetClassifier

    skipped = {
        name
        for name in vars(NetClassifier)
        if extension.skip_added(None, "method", name, getattr(NetClassifier, name), False, None)
    }
    assert {"set_fit_request", "set_score_request"} <= skipped
    assert not skipped & {"fit", "partial_fit", "predict", "predict_proba", "decision_function"}


@pytest.mark.parametrize(
    ("line", "escaped"),
    [
        ("The norm |x|.", "The norm \\|x\\|."),
        ("shape (channels, *kernel)", "shape (channels, \\*kernel)"),
        ("The *first* axis", "The *first* axis"),
        ("`(channels, *kernel)` and `|x|`", "`(channels, *kernel)` and `|x|`"),
        (">>> f(*x) | y", ">>> f(*x) | y"),
    ],
)
def test_symbols_of_formulas_and_shapes_are_no_markup(extension, line, escaped):
    lines = [line]
    extension.escape_symbols(None, "function", "f", None, None, lines)
    assert lines == [escaped]
