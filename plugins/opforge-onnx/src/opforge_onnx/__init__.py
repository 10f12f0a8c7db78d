"""`opforge.onnx`: networks written in ONNX, each operator by its own rule.

A plugin of opforge; the onnx package is imported on first use.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the exporter, the modules and the rules for operators of the core."""
    from .exporting.exporter import OnnxExporter
    from .operators.table import RULES

    return {
        "exporter": {"onnx": OnnxExporter},
        "module": {"onnx": f"{__name__}.onnx", "contrib.onnx": f"{__name__}.contrib.onnx"},
        "rule": {f"onnx:{operator}": rule for operator, rule in RULES.items()},
    }
