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
from ..composition import expanding, make_operation
from ..custom import custom_operation
from ..inference.node_types import infer_node
from ..node import Edge, Node, Operation, as_written
from .arranged import Arranged, Steps
from .elementwise import elementwise_of
from .gradient import leading_to
from .lowering import Lowered

__all__ = ["arrange"]


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


class _Region:
    """The walk over a graph: what each value has become."""

    def __init__(self, leading: set[int]) -> None:
        self._leading = leading
        self._values: dict[tuple[int, int], Arranged] = {}

    def value(self, edge: Edge) -> Arranged:
        """Return what became of a value of the lowered graph."""
        node, index = edge
        key = id(node), index
        if key not in self._values:
            self._values[key] = Arranged(edge, (), node.types[index].shape)
        return self._values[key]

    def add(self, node: Node) -> None:
        """Settle the form of a node whose inputs are settled."""
        if node.operation is None or not (self._values or _own_form(node.operation)):
            return  # as in most graphs to their end
        sources = [self.value(edge) for edge in node.inputs]
        form = self._form(node, sources)
        if form is None:
            node.inputs = tuple(source.arranged(()) for source in sources)
            return
        made, layouts = _in_form(node, form, sources)
        for index, layout in enumerate(layouts):
            shape = node.types[index].shape
            self._values[id(node), index] = Arranged((made, index), layout, shape)

    def _form(self, node: Node, sources: Sequence[Arranged]) -> BlockedForm | None:
        """Return the form in which a node is computed, if it is no plain one."""
        assert node.operation is not None
        arguments = sources[: node.operation.n_arguments]
        come = _coming(arguments)
        maker = _own_form(node.operation) or _followed(node, any(come))
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


def _own_form(operation: Operation) -> Any:
    """Return the declaration's `blocked_form`; None: it has none."""
    return getattr(operation.prop, "blocked_form", None)


def _followed(node: Node, comes_blocked: bool) -> Any:
    """Return how an elementwise kernel of the core follows; None: there is nothing to follow."""
    if not comes_blocked or elementwise_of(node) is None:
        return None
    assert node.operation is not None
    return partial(elementwise, node.operation.prop)


def _coming(sources: Sequence[Arranged]) -> list[Blocked | None]:
    """Return the layout in which each input comes.

    What was computed as it is comes blocked as the others do if somebody had it converted so.
    """
    made = {source.layout for source in sources if len(source.layout) == 1}
    common = next(iter(made)) if len(made) == 1 else ()
    layouts = [
        common if common and source.is_there(common) else source.layout for source in sources
    ]
    return [_blocked(layout) for layout in layouts]


def _blocked(layout: Steps) -> Blocked | None:
    """Return the one division of a layout, if it is no more than that."""
    (step,) = layout if len(layout) == 1 else (None,)
    return step if isinstance(step, Blocked) else None


def _in_form(
    node: Node, form: BlockedForm, sources: Sequence[Arranged]
) -> tuple[Node, list[Steps]]:
    """Return the node that computes in a form, and the layouts of its outputs."""
    assert node.operation is not None
    have = len(form.inputs), len(form.outputs)
    want = node.operation.n_arguments, node.num_outputs
    if have != want:
        raise _wrong(node, "has {} inputs and {} outputs, expected {} and {}".format(*have, *want))
    inputs = _taken(node, form, sources)
    made = Node(node.name, _changed(node, form.attributes), inputs, node.attrs)
    # What draws random numbers or changes states stays where the program has it.
    made.serial = node.serial
    infer_node(made)
    return made, _given(node, form, made)


def _taken(node: Node, form: BlockedForm, sources: Sequence[Arranged]) -> list[Edge]:
    """Return the inputs as a form takes them; auxiliary states are taken as they are."""
    assert node.operation is not None
    prop = node.operation.prop
    names = [*prop.list_arguments(), *prop.list_auxiliary_states()]
    layouts = [*map(steps_of, form.inputs), *[()] * (len(sources) - len(form.inputs))]
    inputs = []
    for name, source, layout in zip(names, sources, layouts, strict=True):
        _expect_fitting(node, f"takes {name!r}", source.shape, layout)
        inputs.append(source.arranged(layout))
    return inputs


def _given(node: Node, form: BlockedForm, made: Node) -> list[Steps]:
    """Return the layouts of the outputs; refuse a form whose operator gives something else."""
    assert node.operation is not None
    if made.num_outputs != node.num_outputs:
        raise _wrong(node, f"gives {made.num_outputs} outputs, expected {node.num_outputs}")
    layouts = [steps_of(layout) for layout in form.outputs]
    names = node.operation.prop.list_outputs()
    for name, layout, known, found in zip(names, layouts, node.types, made.types, strict=True):
        shape = _expect_fitting(node, f"gives {name!r}", known.shape, layout)
        if shape != found.shape:
            raise _wrong(node, f"gives {name!r} the shape {found.shape}, expected {shape}")
        if known.code != found.code:
            types = DTYPES[found.code].__name__, DTYPES[known.code].__name__
            raise _wrong(node, "gives {!r} the type {}, expected {}".format(name, *types))
    return layouts


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
