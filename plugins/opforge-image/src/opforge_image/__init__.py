"""Image reading, processing and augmentation with OpenCV.

A plugin of opforge; OpenCV is imported on first use.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from .operators import OPERATORS

    return [*OPERATORS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the modules, data sets and iterators of this plugin."""
    from . import data_sets, image, record_iter, recordio
    from .io.mnist_iter import MNISTIter

    lazy = {path: f"{__name__}.{path}" for path in ("gluon.data.vision", "io.idx")}
    iterators = {name: getattr(record_iter, name) for name in record_iter.__all__}
    return {
        "module": {**lazy, "image": image, "img": image, "recordio": recordio},
        "dataset": {name: getattr(data_sets, name) for name in data_sets.__all__},
        "iterator": {**iterators, "MNISTIter": MNISTIter},
    }
