"""Images: reading, changing and augmenting them, with OpenCV.

A plugin of opforge; OpenCV is imported when something of it is first used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from .operators import OPERATORS

    return [*OPERATORS]


@hookimpl
def opforge_things() -> Mapping[str, Mapping[str, object]]:
    """Return what this plugin has besides operators."""
    from . import data_sets, image, record_iter, recordio

    return {
        "module": {"image": image, "img": image, "recordio": recordio},
        "dataset": {name: getattr(data_sets, name) for name in data_sets.__all__},
        "iterator": {name: getattr(record_iter, name) for name in record_iter.__all__},
    }
