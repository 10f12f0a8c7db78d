"""Translation of Dropout to ONNX."""

from collections.abc import Callable
from typing import Any

__all__ = ["RULES", "dropout"]


def dropout(prop: Any, call: Any) -> Any:
    """Translate Dropout, which does nothing in a prediction."""
    call.require(
        prop.mode == "training" or prop.p == 0,
        "dropout in predictions (mode 'always') has no equivalent",
        "use mode 'training'",
    )
    return call.node("Identity", call.inputs[0])


RULES: dict[str, Callable[[Any, Any], Any]] = {"onnx:Dropout": dropout}
