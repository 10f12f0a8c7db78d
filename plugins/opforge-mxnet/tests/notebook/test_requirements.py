import sys

import pytest
from opforge_mxnet.notebook.requirements import required

from opforge.notebook.callback import LiveLearningCurve, LiveTimeSeries, PandasLogger


def test_a_module_is_imported():
    assert required("os.path", "Chart") is sys.modules["os.path"]


@pytest.mark.parametrize(
    ("create", "package"),
    [
        (lambda: PandasLogger(4), "pandas"),
        (lambda: LiveLearningCurve("accuracy"), "bokeh"),
        (lambda: LiveTimeSeries(), "bokeh"),
    ],
)
def test_errors_name_the_package_to_install(create, package, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"requires {package}: pip install {package}"):
        create()
