"""`OperatorProp`: the declaration of an operator, from which every way to call it is made.

A subclass states name, inputs, outputs and typed attributes in its body and computes shapes and
the operator object in methods. It is a `CustomOpProp`, so each path that knows MXNet's protocol
knows it. Invariant: a class whose body is inconsistent is refused when it is defined.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from .attribute import UNSET, Attribute, unknown_attribute
from .category import Category, check_category
from .custom import CustomOpProp
from .defaults import ARGUMENTS, OUTPUTS
from .epilogue import check_epilogues
from .named_attributes import check_kinds

__all__ = ["OperatorProp", "check_declaration", "collect_attributes", "declared_name"]


class OperatorProp(CustomOpProp):
    """Base of typed operator declarations.

    Parameters
    ----------
    **attributes
        Values of the declared attributes, typed or as strings; they become attributes of ``self``.

    Raises
    ------
    AttributeValueError
        An attribute is unknown, missing, of another type or out of range.

    Examples
    --------
    >>> class Scale(OperatorProp):
    ...     '''Multiply `data` by a number.'''
    ...
    ...     name = "scale"
    ...     factor = Attribute(float, default=2.0, doc="The number.")
    ...
    >>> Scale(factor="3").factor
    3.0
    """

    #: Registered name.
    name: ClassVar[str] = ""
    #: Other names under which the operator is registered as well.
    aliases: ClassVar[Sequence[str]] = ()
    #: Version of the operator's meaning; saved models keep it. A plugin may register several under
    #: one name: ``softmax@1`` is the first, the short name the newest.
    version: ClassVar[int] = 1
    #: Version of the distribution since which the operator should not be used in new programs, and
    #: what to use; each line that calls it is warned once.
    deprecated_since: ClassVar[str] = ""
    replacement: ClassVar[str] = ""
    #: What kind of operator it is, for pictures and lists: one of
    #: ``op.declaring.category.CATEGORIES``, for instance "activation".
    category: ClassVar[Category] = ""
    #: Names of inputs, outputs and auxiliary states; override the ``list_...`` method where they
    #: depend on attributes.
    arguments: ClassVar[Sequence[str]] = ARGUMENTS
    outputs: ClassVar[Sequence[str]] = OUTPUTS
    auxiliary_states: ClassVar[Sequence[str]] = ()
    #: One line on each input, for the documentation.
    argument_docs: ClassVar[Mapping[str, str]] = {}
    #: Name of the attribute that counts the inputs, where their number is the caller's choice.
    variadic: ClassVar[str | None] = None
    #: Inputs for which a call may give a number: an array of it, like the other inputs, is made.
    numbers: ClassVar[Sequence[str]] = ()
    #: Whether one operator object may serve all calls of the same shapes.
    stateless: ClassVar[bool] = False
    #: False: nothing flows back; the inputs get no gradient.
    differentiable: bool = True
    #: False for losses, whose backward does not read the gradient from above.
    need_top_grad: ClassVar[bool] = True
    #: What backward reads: "inputs", "outputs", or names of single ones.
    saves: Sequence[str] = ("inputs", "outputs")
    #: None, or a method ``compose(self, F, *inputs)`` that calls operators of `F` (arguments, then
    #: auxiliary states) and returns one array, or a list with one for each output. They are
    #: recorded themselves, so gradients of any order follow, and `gradient`, `saves` and
    #: ``create_operator`` are not needed. `infer_shape` is: parameters get their shapes from it.
    #: Symbols know ``shape`` and ``dtype`` there, as arrays do. Arrays come without inference, so
    #: that what must not be computed is refused in here.
    compose: Any = None
    #: Whether shapes of outputs depend on the inputs' values, as of the rows that a mask chooses.
    #: Then `infer_shape` says 0 for each such length, and `compose` gets arrays, never symbols, so
    #: that it may read values (``asnumpy()``). Graphs with such an operator run call by call.
    shapes_from_values: ClassVar[bool] = False
    #: None, or a method ``compose_predicting(self, F, *inputs)``: what a compiled graph calls
    #: instead where nobody trains with it or differentiates it. It returns one array for each
    #: output, hidden ones included, or None where the operator is to be called all the same.
    compose_predicting: Any = None
    #: None, or a method ``compute(self, in_data, out_data, req, is_train)`` that fills `out_data`
    #: with ``plugin_api.kernels``; it takes the place of ``create_operator`` beside a `gradient`.
    #: Set it in the constructor to a computation, ``self.compute = kernels.Softmax(self.axis)``,
    #: where one does all the work: then a call runs no Python.
    compute: Any = None
    #: None, or a method ``gradient(self, F, out_grad, in_data, out_data)`` that returns one array
    #: (or None) for each input, composed of operators of `F`: then gradients of any order exist.
    gradient: Any = None
    #: None, or a method ``infer_inputs(self, in_shapes, out_shapes)`` that returns the inputs'
    #: shapes with what the outputs' tell of them: graphs are inferred backwards too. An operator
    #: whose inputs and outputs have one shape says ``attrs = {"FElementwiseShape": True}`` instead.
    infer_inputs: Any = None
    #: None, or a method ``infer_input_types(self, in_types, out_types)``: the same for types.
    infer_input_types: Any = None
    #: None, or a method ``highest_position(self, in_shapes)`` that returns for each output the
    #: highest position or count that it may hold, None where it holds neither. Inference refuses
    #: an element type that does not have all numbers up to there.
    highest_position: Any = None
    #: None, or a method ``keeps_order(self, in_shapes)`` that tells whether the elements of all
    #: outputs, one output behind the other, are those of all inputs: then a graph may lay inputs
    #: and outputs over each other and call nothing. One of both is a single array.
    keeps_order: Any = None
    #: None, or a method ``blocked_form(self, inputs, needs_gradient)`` that returns the operator's
    #: form on blocked arrays, a `layouts.BlockedForm`, or None. `inputs` has a `layouts.Input` for
    #: each argument; `needs_gradient` tells whether a gradient flows back through the call. Graphs
    #: then keep arrays blocked from operator to operator.
    blocked_form: Any = None
    #: None, or the elementwise kernel of the core that is the whole operator: ``("unary", "exp")``,
    #: ``("binary", "add")`` or ``("scalar", "add")``. It then runs without Python; shapes and types
    #: follow the kernel. A scalar operator has one attribute, the number.
    elementwise_kernel: ClassVar[tuple[str, str] | None] = None
    #: Of a binary kernel: the inputs' shapes may differ and are broadcast.
    kernel_broadcasts: ClassVar[bool] = False
    #: Of a scalar kernel: the number is the left operand.
    kernel_reverse: ClassVar[bool] = False
    #: Steps that the computation does with its result itself, before it leaves the cache, where a
    #: graph asks for them: names of ``op.declaring.epilogue.EPILOGUES``, as ``("add", "relu")``. A
    #: constructor may set them for its attributes.
    epilogues: Sequence[str] = ()
    #: Named attributes in NNVM's manner, for instance ``{"FInplaceOption": [(0, 0)]}``. Graphs read
    #: ``FInplaceOption``, ``FInplaceIdentity`` (True: the output is the input, in another shape),
    #: ``IsConstant`` (True: values of inputs do not matter, only shapes and types),
    #: ``IsUnbroadcast`` (True: the output is the first input, summed to the output's shape) and
    #: ``IsPure`` (True: equal inputs give equal results, and `compute` changes nothing else).
    attrs: ClassVar[Mapping[str, Any]] = {}
    #: Filled from the class body: every typed attribute, in the order of definition.
    attributes: ClassVar[Mapping[str, Attribute]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.attributes = collect_attributes(cls)
        check_declaration(cls)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(self.need_top_grad)
        table = self.attributes
        values = self.__dict__
        for key, attribute in table.items():
            values[key] = attribute.parse(attributes.pop(key, UNSET), self.name)
        if attributes:
            raise unknown_attribute(self.name, attributes, table, self.arguments)

    @classmethod
    def doc_line(cls) -> str:
        """Return the first line of the docstring."""
        text = (cls.__dict__.get("__doc__") or "").strip()
        return text.splitlines()[0].strip() if text else ""

    @classmethod
    def named_attribute(cls, key: str, default: Any = None) -> Any:
        """Return the value under `key` in `attrs` of this class or the nearest base."""
        for base in cls.__mro__:
            table = base.__dict__.get("attrs", {})
            if key in table:
                return table[key]
        return default

    @property
    def num_visible_outputs(self) -> int:
        """Number of outputs that the caller sees, counted from the first; by default all.

        A declaration may set a number in its body: ``num_visible_outputs = 1`` keeps a mask that
        only the gradient reads from the caller.
        """
        return len(self.list_outputs())

    @property
    def inplace_pairs(self) -> list[tuple[int, int]]:
        """Which input may share memory with which output, as ``FInplaceOption`` in `attrs` says."""
        return list(self.named_attribute("FInplaceOption", ()))

    def attribute_strings(self) -> dict[str, str]:
        """Return the attributes that differ from their default, as strings for saved models."""
        strings = {}
        for key, attribute in self.attributes.items():
            value = getattr(self, key)
            if value != attribute.default:
                strings[key] = attribute.text(value)
        return strings

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs; ``arg0``, ``arg1``, ... where their number varies."""
        if self.variadic is None:
            return list(self.arguments)
        return [f"arg{i}" for i in range(getattr(self, self.variadic))]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return list(self.outputs)

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""
        return list(self.auxiliary_states)

    def infer_type(self, in_type: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return one type for everything of which no type is known: that of the first known input.

        Parameters
        ----------
        in_type : sequence of type or None
            None where unknown.
        """
        common = next((dtype for dtype in in_type if dtype is not None), None)
        known = [common if dtype is None else dtype for dtype in in_type]
        first = known[0] if known else None
        outputs, states = len(self.list_outputs()), len(self.list_auxiliary_states())
        return known, [first] * outputs, [first] * states

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the ids of the arrays that backward reads, as `saves` says."""
        deps = list(out_grad) if self.need_top_grad_ else []
        groups = (
            ("inputs", self.list_arguments(), in_data),
            ("outputs", self.list_outputs(), out_data),
        )
        for whole, names, ids in groups:
            if whole in self.saves:
                deps.extend(ids)
            else:
                # Not strict: MXNet's programs ask with fewer ids than there are names.
                deps.extend(i for n, i in zip(names, ids, strict=False) if n in self.saves)
        return deps

    def create_operator(self, ctx: Any, in_shapes: list[list[int]], in_dtypes: list[int]) -> Any:
        """Return an object with ``forward`` and ``backward``; every operator defines this."""
        raise NotImplementedError(
            f"{type(self).__qualname__} declares the operator {self.name!r} but does not define "
            "create_operator(self, ctx, in_shapes, in_dtypes); return a CustomOp from it"
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.attributes)
        return f"{type(self).__name__}({values})"


#: Names that a typed attribute may not take: the generated function has parameters of these names.
_TAKEN_BY_CALLS = frozenset({"op_type", "out"})


#: What every declaration derives from; two hundred of these are collected in an import.
_WITHOUT_ATTRIBUTES = frozenset(OperatorProp.__mro__)


def collect_attributes(cls: type) -> dict[str, Attribute]:
    """Gather the attributes of `cls`, those of its bases first; None in a body removes one."""
    found: dict[str, Attribute] = {}
    for base in reversed(cls.__mro__):
        if base in _WITHOUT_ATTRIBUTES:
            continue
        for key, value in base.__dict__.items():
            if isinstance(value, Attribute):
                found[key] = value
            elif key in found:
                del found[key]
    return found


def check_declaration(cls: type[OperatorProp]) -> None:
    """Refuse a declaration that contradicts itself, or what others say under the same keys."""
    where = f"operator declaration {cls.__qualname__}"
    for field in ("arguments", "outputs", "auxiliary_states", "aliases", "saves", "epilogues"):
        value = getattr(cls, field)
        if isinstance(value, str) or not isinstance(value, Sequence):
            remedy = f"; write {field} = ({value!r},)" if isinstance(value, str) else ""
            raise TypeError(f"{where}: {field} is {value!r}, expected a tuple of names{remedy}")
    if not isinstance(cls.version, int) or isinstance(cls.version, bool) or cls.version < 1:
        raise TypeError(f"{where}: version is {cls.version!r}, expected a number from 1")
    if not isinstance(cls.name, str):
        raise TypeError(f"{where}: name is {cls.name!r}, expected a string")
    check_category(where, cls.category)
    check_epilogues(where, cls.epilogues)
    for key in cls.attributes:
        if key in _TAKEN_BY_CALLS or key in _PROTOCOL:
            raise TypeError(f"{where}: an attribute cannot be called {key!r}; choose another name")
        if key in cls.arguments:
            raise TypeError(f"{where}: {key!r} is both an input and an attribute")
    if cls.variadic is not None and cls.variadic not in cls.attributes:
        raise TypeError(
            f"{where}: variadic = {cls.variadic!r} names no attribute; "
            f"add {cls.variadic} = Attribute(int, default=1, ge=1)"
        )
    if cls.shapes_from_values and cls.compose is None:
        raise TypeError(
            f"{where}: shapes_from_values is True, but there is no compose(self, F, *inputs): it "
            "computes outputs and with them their shapes"
        )
    check_kinds(cls.name or cls.__qualname__, cls.__dict__.get("attrs", {}))


#: Members of the protocol itself, which an attribute of the same name would hide.
_PROTOCOL = frozenset(key for key in dir(OperatorProp) if not key.startswith("__")) | {
    "need_top_grad_"
}


def declared_name(prop: Any) -> str:
    """Return the name of a declaration; empty for a `CustomOpProp`, whose `name` is its own.

    Examples
    --------
    >>> class Mine(OperatorProp):
    ...     name = "mine"
    >>> declared_name(Mine()), declared_name(CustomOpProp())
    ('mine', '')
    """
    if isinstance(prop, CustomOpProp) and not isinstance(prop, OperatorProp):
        return ""
    name: str = prop.name
    return name
