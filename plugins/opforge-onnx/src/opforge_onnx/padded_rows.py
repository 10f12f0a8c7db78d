"""Mark of loops whose rows the graph pads to their maximum number, as `while_loop` has them.

Arrays of opforge have known sizes, so other loops whose number of rows the graph computes cannot be
imported.
"""

from onnx import GraphProto

__all__ = ["is_marked", "mark"]

_KEY, _VALUE = "opforge.rows", "padded"


def mark(body: GraphProto) -> None:
    """Mark the body of a loop."""
    body.metadata_props.add(key=_KEY, value=_VALUE)


def is_marked(body: GraphProto) -> bool:
    """Return whether the body of a loop is marked."""
    return any((item.key, item.value) == (_KEY, _VALUE) for item in body.metadata_props)
