"""Translation of Dropout to ONNX."""

from typing import Any

__all__ = ["dropout"]


def dropout(prop: Any, call: Any) -> Any:
    """Translate Dropout, which does nothing in a prediction."""
    call.require(
        prop.mode == "training" or prop.p == 0,
        "dropout in predictions (mode 'always') has no equivalent",
        "use mode 'training'",
    )
    return call.node("Identity", call.inputs[0])
