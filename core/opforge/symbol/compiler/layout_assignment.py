"""Layout assignment: regions of a graph whose operators compute on blocked arrays.

Operators declare in `blocked_form` how they can compute on blocked arrays. Inputs of an operator
that begins a region are converted; later operators join the region if their data is already
blocked. Conversions are inserted at the borders only, once per value and layout. They are ordinary
operators, so inference, gradients, fusion and memory planning need no special cases, and the
outputs of the graph keep the plain layout.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...base.dtypes import dtype_of
from ...base.errors import OpforgeError
from ...op.declaring.errors import origin, wrapping
from ...op.declaring.layouts import Blocked, BlockedForm, Input, elementwise, steps_of
from ..composition import expanding, make_operation
from ..custom import custom_operation
from ..inference.node_types import infer_node
from ..node import Edge, Node, Operation, program_order
from .elementwise import elementwise_of
from .gradient import dependent_nodes
from .lowering import Lowered
from .value_layouts import Steps, ValueLayouts

__all__ = ["assign_layouts"]


def assign_layouts(graph: Lowered, requests: Mapping[str, str]) -> Lowered:
    """Return a lowered graph whose operators compute on blocked arrays where they prefer to.

    Parameters
    ----------
    graph : Lowered
        Its nodes may be modified.
    requests : dict of str to str
        Variables that need a gradient.
    """
    order = program_order(graph.outputs)
    operations = [node.operation for node in order if node.operation is not None]
    if not any([_declared_form(operation) for operation in operations]):
        return graph
    wanted = [node for name, node in graph.variables.items() if name in requests]
    region = _Region(dependent_nodes(order, wanted))
    with expanding():
        for node in order:
            region.add(node)
        outputs = [region.value(edge).in_layout(()) for edge in graph.outputs]
    return Lowered(graph.variables, outputs)


class _Region:
    """State of the pass: the layouts of each value seen so far."""

    def __init__(self, dependent: set[int]) -> None:
        self._dependent = dependent
        self._values: dict[tuple[int, int], ValueLayouts] = {}

    def value(self, edge: Edge) -> ValueLayouts:
        """Return the layouts of a value of the lowered graph."""
        node, index = edge
        key = id(node), index
        if key not in self._values:
            self._values[key] = ValueLayouts(edge, (), node.types[index].shape)
        return self._values[key]

    def add(self, node: Node) -> None:
        """Choose the form of a node whose inputs have been processed."""
        if node.operation is None or not (self._values or _declared_form(node.operation)):
            return  # The common case: nothing is blocked yet, and the node does not begin a region.
        sources = [self.value(edge) for edge in node.inputs]
        form = self._form(node, sources)
        if form is None:
            node.inputs = tuple(source.in_layout(()) for source in sources)
            return
        made, layouts = _rewritten(node, form, sources)
        for index, layout in enumerate(layouts):
            shape = node.types[index].shape
            self._values[id(node), index] = ValueLayouts((made, index), layout, shape)

    def _form(self, node: Node, sources: Sequence[ValueLayouts]) -> BlockedForm | None:
        """Return the blocked form in which to compute a node; None for the plain form."""
        assert node.operation is not None
        arguments = sources[: node.operation.n_arguments]
        layouts = _input_layouts(arguments)
        maker = _declared_form(node.operation) or _elementwise_form(node, any(layouts))
        if maker is None:
            return None
        inputs = [
            Input(source.shape, dtype_of(edge[0].types[edge[1]].code), layout)
            for source, edge, layout in zip(arguments, node.inputs, layouts, strict=False)
        ]
        with wrapping(node.operation.entry, "blocked_form", [item.shape for item in inputs]):
            form: BlockedForm | None = maker(inputs, id(node) in self._dependent)
        if form is None or not (form.begins or any(layouts)):
            return None
        return form


def _declared_form(operation: Operation) -> Any:
    """Return the declaration's `blocked_form`; None if it has none."""
    return getattr(operation.prop, "blocked_form", None)


def _elementwise_form(node: Node, any_blocked: bool) -> Any:
    """Return the blocked form of an elementwise kernel; None if no input of it is blocked."""
    if not any_blocked or elementwise_of(node) is None:
        return None
    assert node.operation is not None
    return partial(elementwise, node.operation.prop)


def _input_layouts(sources: Sequence[ValueLayouts]) -> list[Blocked | None]:
    """Return the layout to use for each input.

    An input in the plain layout counts as blocked like the others if such a copy already exists.
    """
    made = {source.layout for source in sources if len(source.layout) == 1}
    common = next(iter(made)) if len(made) == 1 else ()
    layouts = [common if common and source.has(common) else source.layout for source in sources]
    return [_only_blocked_step(layout) for layout in layouts]


def _only_blocked_step(layout: Steps) -> Blocked | None:
    """Return the only step of a layout, if it is a `Blocked` one."""
    (step,) = layout if len(layout) == 1 else (None,)
    return step if isinstance(step, Blocked) else None


def _rewritten(
    node: Node, form: BlockedForm, sources: Sequence[ValueLayouts]
) -> tuple[Node, list[Steps]]:
    """Return the node rewritten to a form, and the layouts of its outputs."""
    assert node.operation is not None
    have = len(form.inputs), len(form.outputs)
    want = node.operation.n_arguments, node.num_outputs
    if have != want:
        raise _form_error(
            node, "has {} inputs and {} outputs, expected {} and {}".format(*have, *want)
        )
    inputs = _converted_inputs(node, form, sources)
    made = Node(node.name, _with_attributes(node, form.attributes), inputs, node.attrs)
    # Nodes that draw random numbers or change states keep their position in program order.
    made.serial = node.serial
    infer_node(made)
    return made, _output_layouts(node, form, made)


def _converted_inputs(node: Node, form: BlockedForm, sources: Sequence[ValueLayouts]) -> list[Edge]:
    """Return the inputs in the layouts of a form; auxiliary states keep the plain layout."""
    assert node.operation is not None
    prop = node.operation.prop
    names = [*prop.list_arguments(), *prop.list_auxiliary_states()]
    layouts = [*map(steps_of, form.inputs), *[()] * (len(sources) - len(form.inputs))]
    inputs = []
    for name, source, layout in zip(names, sources, layouts, strict=True):
        _shape_in_layout(node, f"takes {name!r}", source.shape, layout)
        inputs.append(source.in_layout(layout))
    return inputs


def _output_layouts(node: Node, form: BlockedForm, made: Node) -> list[Steps]:
    """Return the layouts of the outputs; reject a form whose operator returns other types."""
    assert node.operation is not None
    if made.num_outputs != node.num_outputs:
        raise _form_error(node, f"gives {made.num_outputs} outputs, expected {node.num_outputs}")
    layouts = [steps_of(layout) for layout in form.outputs]
    names = node.operation.prop.list_outputs()
    for name, layout, known, found in zip(names, layouts, node.types, made.types, strict=True):
        shape = _shape_in_layout(node, f"gives {name!r}", known.shape, layout)
        if shape != found.shape:
            raise _form_error(node, f"gives {name!r} the shape {found.shape}, expected {shape}")
        if known.code != found.code:
            types = dtype_of(found.code).__name__, dtype_of(known.code).__name__
            raise _form_error(node, "gives {!r} the type {}, expected {}".format(name, *types))
    return layouts


def _with_attributes(node: Node, attributes: Mapping[str, Any]) -> Operation:
    """Return the operation of a node with some attributes replaced."""
    operation = node.operation
    assert operation is not None
    if operation.name == "Custom":  # its attributes are passed by name
        given = dict(operation.attributes)
        return custom_operation(given.pop("op_type"), given | dict(attributes))
    declared = type(operation.prop).attributes
    unknown = sorted(set(attributes) - set(declared))
    if unknown:
        raise _form_error(
            node, f"sets {', '.join(map(repr, unknown))}: the operator has no such attribute"
        )
    values = {key: getattr(operation.prop, key) for key in declared} | dict(attributes)
    return make_operation(operation.bound.handle, tuple(values.values()))


def _shape_in_layout(
    node: Node, what: str, shape: tuple[int, ...], layout: Steps
) -> tuple[int, ...]:
    """Return the shape of an array in a layout; raise if the shape cannot be blocked that way."""
    for step in layout:
        if not step.fits(shape):
            raise _form_error(node, f"{what} as {step}, which the shape {shape} does not fit")
        shape = step.shape(shape)
    return shape


def _form_error(node: Node, text: str) -> OpforgeError:
    assert node.operation is not None
    return OpforgeError(
        f"{origin(node.operation.entry)}: node '{node.name}': the form that blocked_form returned "
        f"{text}"
    )
