"""Wheels written by hand, hostile ones among them."""

import zipfile

import pytest

MODULE = '''\
raise SystemExit("imported")
from opforge.plugin_api import Attribute, HybridBlock, OperatorProp


class Gelu(OperatorProp):
    """Bend the data smoothly.

    Examples
    --------
    >>> nd.gelu(x)
    """

    name = "gelu"
    argument_docs = {"data": "any shape"}
    slope = Attribute(float, default=0.5, ge=0, le=1, doc="How <b>steep</b>.")


class GeluLayer(HybridBlock):
    """Bend the input."""

    def __init__(self, slope: float = 0.5, **kwargs):
        pass
'''
POINTS = """\
[opforge]
gelu = acme_gelu
[opforge.ops]
gelu = acme_gelu:Gelu
[opforge.layers]
GeluLayer = acme_gelu:GeluLayer
"""
METADATA = """\
Metadata-Version: 2.1
Name: acme-gelu
Version: {version}
Summary: Gelu & friends
Project-URL: Home, https://acme.example/gelu
Requires-Python: >=3.11
Requires-Dist: opforge-extra
Requires-Dist: opforge[std]>=0.1,<2

Text.
"""


@pytest.fixture
def make_wheel(tmp_path):
    """Return a function that writes a wheel into the folder `tmp_path / "wheels"`."""

    def make(version="1.2.0", *, module=MODULE, points=POINTS, metadata=METADATA, **more):
        folder = tmp_path / "wheels"
        folder.mkdir(exist_ok=True)
        name = "acme_gelu"
        info = f"{name}-{version}.dist-info"
        files = {
            f"{name}.py": module,
            f"{info}/METADATA": metadata.format(version=version),
            f"{info}/entry_points.txt": points,
            **more,
        }
        with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
            for path, text in files.items():
                if text is not None:
                    archive.writestr(path, text)
        return folder

    return make
