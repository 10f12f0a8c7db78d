# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.dispatch.tape import Receiver

class Pass(Receiver):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
def backward(
    heads: list[Any], head_grads: Any=..., retain_graph: bool=..., train_mode: bool=...
) -> Any: ...
def gradients(
    heads: list[Any],
    variables: list[Any],
    head_grads: Any=...,
    retain_graph: Any=...,
    create_graph: bool=...,
    train_mode: bool=...,
) -> Any: ...
