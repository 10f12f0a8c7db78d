"""Regions of a graph whose arrays lie in blocks, as their operators compute best.

Operators answer in `blocked_form` how they can compute on blocked arrays. What begins a region gets
its inputs converted; what follows joins where its data come blocked anyway. Conversions stand at
the borders only, one for each value and layout. They are operators like any other: inference,
gradients, fusion and memory planning see an ordinary graph, whose outputs are as they always were.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...base.dtypes import DTYPES
from ...base.errors import OpforgeError
from ...op.declaring.errors import origin, wrapping
from ...op.declaring.layouts import Blocked, BlockedForm, Input, elementwise, steps_of
from .._namespace import operators
from ..composition import expanding, make_operation
from ..custom import custom_operation
from ..inference.node_types import infer_node
from ..node import Edge, Node, Operation, as_written
from ..symbol import Symbol
from .gradient import leading_to
from .lowering import Lowered

__all__ = ["arrange"]

#: The divisions that lead to a layout, one after the other; () is the one that programs see.
Steps = tuple[Blocked, ...]


def arrange(graph: Lowered, requests: Mapping[str, str]) -> Lowered:
    """Return a lowered graph in which operators compute on blocked arrays where they want to.

    Parameters
    ----------
    graph : Lowered
        Its nodes may be changed.
    requests : dict of str to str
        The variables that want a gradient.
    """
    order = as_written(node for node, _ in graph.outputs)
    wanted = [node for name, node in graph.variables.items() if name in requests]
    region = _Region(leading_to(order, wanted))
    with expanding():
        for node in order:
            region.add(node)
        outputs = [region.value(edge).arranged(()) for edge in graph.outputs]
    return Lowered(graph.variables, outputs)


class _Value:
    """One value of the graph, in the layouts in which it is there.

    Parameters
    ----------
    edge : (Node, int)
        What computes it.
    layout : tuple of Blocked
        How it is computed.
    shape : tuple of int
        Before any axis is divided.
    """

    def __init__(self, edge: Edge, layout: Steps, shape: tuple[int, ...]) -> None:
        self.layout = layout
        self.shape = shape
        self._edges = {layout: edge}

    def is_there(self, layout: Steps) -> bool:
        """Tell whether it was computed or converted to a layout already."""
        return layout in self._edges

    def arranged(self, layout: Steps) -> Edge:
        """Return the value in a layout, converted where nobody has done it before."""
        if layout not in self._edges:
            if layout:
                made = _divided(self.arranged(layout[:-1]), layout[-1])
            else:
                made = self._edges[self.layout]
                for step in reversed(self.layout):
                    made = _joined(made, step)
            self._edges[layout] = made
        return self._edges[layout]


def _divided(edge: Edge, step: Blocked) -> Edge:
    shape = edge[0].types[edge[1]].shape
    if _is_same_memory(shape, step):
        return _called("Reshape", edge, shape=step.shape(shape))
    return _called("_block", edge, axis=step.axis, lanes=step.lanes)


def _joined(edge: Edge, step: Blocked) -> Edge:
    shape = edge[0].types[edge[1]].shape
    joined = (*shape[: step.axis], shape[step.axis] * step.lanes, *shape[step.axis + 1 : -1])
    if _is_same_memory(joined, step):
        return _called("Reshape", edge, shape=joined)
    return _called("_unblock", edge, axis=step.axis)


def _is_same_memory(shape: Sequence[int], step: Blocked) -> bool:
    """Tell whether the elements of an array stand in the same order when it is divided."""
    return step.lanes == 1 or all(size == 1 for size in shape[step.axis + 1 :])


def _called(name: str, edge: Edge, **attributes: Any) -> Edge:
    made: Edge = getattr(operators(), name)(Symbol([edge]), **attributes).edges[0]
    return made


class _Region:
    """The walk over a graph: what each value has become."""

    def __init__(self, leading: set[int]) -> None:
        self._leading = leading
        self._values: dict[tuple[int, int], _Value] = {}

    def value(self, edge: Edge) -> _Value:
        """Return what became of a value of the lowered graph."""
        return self._values[id(edge[0]), edge[1]]

    def add(self, node: Node) -> None:
        """Settle the form of a node whose inputs are settled."""
        sources = [self.value(edge) for edge in node.inputs]
        form = self._form(node, sources)
        if form is None:
            node.inputs = tuple(source.arranged(()) for source in sources)
            made, layouts = node, [Steps()] * node.num_outputs
        else:
            made, layouts = _in_form(node, form, sources)
        for index, layout in enumerate(layouts):
            shape = node.types[index].shape
            self._values[id(node), index] = _Value((made, index), layout, shape)

    def _form(self, node: Node, sources: Sequence[_Value]) -> BlockedForm | None:
        """Return the form in which a node is computed, if it is no plain one."""
        if node.operation is None:
            return None
        arguments = sources[: node.operation.n_arguments]
        come = _coming(arguments)
        maker = _form_maker(node.operation.prop, any(come))
        if maker is None:
            return None
        inputs = [
            Input(source.shape, DTYPES[edge[0].types[edge[1]].code], layout)
            for source, edge, layout in zip(arguments, node.inputs, come, strict=False)
        ]
        with wrapping(node.operation.entry, "blocked_form", [item.shape for item in inputs]):
            form: BlockedForm | None = maker(inputs, id(node) in self._leading)
        if form is None or not (form.begins or any(come)):
            return None
        return form


def _form_maker(prop: Any, may_follow: bool) -> Any:
    """Return the function that tells an operator's form; None: it has but the plain one."""
    if getattr(prop, "blocked_form", None) is not None:
        return prop.blocked_form
    is_kernel = getattr(prop, "elementwise_kernel", None) is not None
    return partial(elementwise, prop) if is_kernel and may_follow else None


def _coming(sources: Sequence[_Value]) -> list[Blocked | None]:
    """Return the layout in which each input comes.

    What was computed as it is comes blocked as the others do if somebody had it converted so.
    """
    made = {source.layout for source in sources if len(source.layout) == 1}
    common = next(iter(made)) if len(made) == 1 else ()
    layouts = [
        common if common and source.is_there(common) else source.layout for source in sources
    ]
    return [layout[0] if len(layout) == 1 else None for layout in layouts]


def _in_form(node: Node, form: BlockedForm, sources: Sequence[_Value]) -> tuple[Node, list[Steps]]:
    """Return the node that computes in a form, and the layouts of its outputs."""
    assert node.operation is not None
    prop = node.operation.prop
    names, count = [*prop.list_arguments(), *prop.list_auxiliary_states()], len(form.inputs)
    if count != node.operation.n_arguments or len(form.outputs) != node.num_outputs:
        raise _wrong(
            node,
            f"has {count} inputs and {len(form.outputs)} outputs, expected "
            f"{node.operation.n_arguments} and {node.num_outputs}",
        )
    wanted = [*map(steps_of, form.inputs), *[()] * (len(sources) - count)]
    inputs = []
    for name, source, layout in zip(names, sources, wanted, strict=True):
        _expect_fitting(node, f"takes {name!r}", source.shape, layout)
        inputs.append(source.arranged(layout))
    made = Node(node.name, _changed(node, form.attributes), inputs, node.attrs)
    # What draws random numbers or changes states stays where the program has it.
    made.serial = node.serial
    infer_node(made)
    layouts = [steps_of(layout) for layout in form.outputs]
    for name, layout, known, found in zip(
        prop.list_outputs(), layouts, node.types, made.types, strict=True
    ):
        shape = _expect_fitting(node, f"gives {name!r}", known.shape, layout)
        if (shape, known.code) != (found.shape, found.code):
            raise _wrong(node, f"gives {name!r} the shape {found.shape}, expected {shape}")
    return made, layouts


def _changed(node: Node, attributes: Mapping[str, Any]) -> Operation:
    """Return the operation of a node with other values of some attributes."""
    operation = node.operation
    assert operation is not None
    if operation.name == "Custom":  # it is bound by names
        given = dict(operation.attributes)
        return custom_operation(given.pop("op_type"), given | dict(attributes))
    declared = type(operation.prop).attributes
    unknown = sorted(set(attributes) - set(declared))
    if unknown:
        raise _wrong(
            node, f"sets {', '.join(map(repr, unknown))}: the operator has no such attribute"
        )
    values = {key: getattr(operation.prop, key) for key in declared} | dict(attributes)
    return make_operation(operation.bound.handle, tuple(values.values()))


def _expect_fitting(
    node: Node, what: str, shape: tuple[int, ...], layout: Steps
) -> tuple[int, ...]:
    """Return the shape of an array in a layout; refuse one that cannot be divided so."""
    for step in layout:
        if not step.fits(shape):
            raise _wrong(node, f"{what} as {step}, which the shape {shape} does not fit")
        shape = step.shape(shape)
    return shape


def _wrong(node: Node, text: str) -> OpforgeError:
    assert node.operation is not None
    return OpforgeError(
        f"{origin(node.operation.entry)}: node '{node.name}': the form that blocked_form returned "
        f"{text}"
    )
