"""`OperatorProp`: the declaration of an operator, from which all its functions are generated.

A subclass defines name, inputs, outputs and typed attributes in its body, and computes shapes and
the operator object in methods. It is a `CustomOpProp`, so code that supports MXNet's protocol
supports it. Invariant: the definition of an inconsistent class raises an error.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ...base.context import Context
from .attribute import UNSET, Attribute, unknown_attribute
from .category import Category, check_category
from .custom import CustomOpProp
from .defaults import ARGUMENTS, OUTPUTS
from .element_types import ANY, OutputRule, check_declared_types, default_types
from .epilogue import check_epilogues
from .named_attributes import check_kinds

__all__ = ["OperatorProp", "check_declaration", "collect_attributes", "declared_name"]


class OperatorProp(CustomOpProp):
    """Base class of typed operator declarations.

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
    #: Additional names of the operator.
    aliases: ClassVar[Sequence[str]] = ()
    #: Version of the operator's semantics, stored in saved models. A plugin may register several
    #: under one name: ``softmax@1`` is the first, the short name is the newest.
    version: ClassVar[int] = 1
    #: Version of the distribution since which the operator is deprecated, and its replacement; each
    #: line that calls it causes one warning.
    deprecated_since: ClassVar[str] = ""
    replacement: ClassVar[str] = ""
    #: Category for drawings and lists: one of ``op.declaring.category.CATEGORIES``, for instance
    #: "activation".
    category: ClassVar[Category] = ""
    #: Names of inputs, outputs and auxiliary states; override the ``list_...`` methods if they
    #: depend on attributes.
    arguments: ClassVar[Sequence[str]] = ARGUMENTS
    outputs: ClassVar[Sequence[str]] = OUTPUTS
    auxiliary_states: ClassVar[Sequence[str]] = ()
    #: One-line description of each input.
    argument_docs: ClassVar[Mapping[str, str]] = {}
    #: Element types of the inputs and auxiliary states: names, or words for groups of types, which
    #: are "any", "floating" and "integer". Inputs of other types are rejected before inference.
    dtypes: Sequence[str] = ANY
    #: Whether the words for groups exclude types that NumPy lacks; such types must be named.
    numpy_types_only: ClassVar[bool] = False
    #: Types of inputs that accept others, as in ``{"indices": ("integer",)}``. Such an input need
    #: not have the same type as the other inputs.
    argument_dtypes: Mapping[str, Sequence[str]] = {}
    #: Types of outputs that differ from that of the inputs, as in ``{"indices": "int64"}``: the
    #: name of a type, of an input, or of an attribute, which means the common type if it is None.
    #: Of several words, as in ``("dtype", "float32")``, the first that is not None counts. A
    #: mapping depends on the type of the inputs: ``{"bool": "int64"}``.
    output_dtypes: Mapping[str, OutputRule] = {}
    #: Name of the attribute that counts the inputs, if their number is variable.
    variadic: ClassVar[str | None] = None
    #: Inputs that may be numbers, which are converted to arrays like the other inputs.
    numbers: ClassVar[Sequence[str]] = ()
    #: Whether one operator object can be reused for all calls with the same shapes.
    stateless: ClassVar[bool] = False
    #: False if the inputs get no gradient.
    differentiable: bool = True
    #: False for losses, whose backward does not read the gradients of the outputs.
    need_top_grad: ClassVar[bool] = True
    #: Arrays that backward reads: "inputs", "outputs", or names of single ones.
    saves: Sequence[str] = ("inputs", "outputs")
    #: None, or a method ``compose(self, F, *inputs)`` that computes the operator by calls of
    #: operators of `F`. The inputs are arguments, then auxiliary states; it returns one array, or a
    #: list with one for each output. The calls are recorded, so that gradients of any order exist,
    #: and `gradient`, `saves` and ``create_operator`` are not needed. `infer_shape` is needed for
    #: the shapes of parameters. Symbols have ``shape`` and ``dtype`` here, like arrays. Inference
    #: does not run for arrays, so `compose` itself must reject invalid inputs.
    compose: Any = None
    #: Whether shapes of outputs depend on values of inputs, for instance the rows that a mask
    #: selects. Then `infer_shape` returns 0 for each such dimension, and `compose` always gets
    #: arrays, whose values it may read (``asnumpy()``). Graphs with such an operator run call by
    #: call.
    shapes_from_values: ClassVar[bool] = False
    #: None, or a method ``compose_predicting(self, F, *inputs)`` that compiled graphs call instead
    #: of the operator if it is neither trained nor differentiated. It returns one array for each
    #: output, including hidden ones, or None to call the operator.
    compose_predicting: Any = None
    #: None, or a method ``compute(self, in_data, out_data, req, is_train)`` that fills `out_data`
    #: by ``plugin_api.kernels``; with a `gradient`, it replaces ``create_operator``. If a single
    #: computation does all the work, set it in the constructor, so that calls run no Python:
    #: ``self.compute = kernels.Softmax(self.axis)``.
    compute: Any = None
    #: None, or a method ``gradient(self, F, out_grad, in_data, out_data)`` that returns one array
    #: (or None) for each input, composed of operators of `F`, so that gradients of any order exist.
    gradient: Any = None
    #: None, or a method ``infer_inputs(self, in_shapes, out_shapes)`` that infers shapes of inputs
    #: from those of the outputs, because graphs are also inferred backwards. If all inputs and
    #: outputs have the same shape, set ``attrs = {"FElementwiseShape": True}`` instead.
    infer_inputs: Any = None
    #: None, or a method ``infer_input_types(self, in_types, out_types)``: the same for types.
    infer_input_types: Any = None
    #: None, or a method ``highest_position(self, in_shapes)`` that returns for each output the
    #: largest index or count that it may contain, or None. Inference rejects element types that
    #: cannot represent all integers up to it.
    highest_position: Any = None
    #: None, or a method ``keeps_order(self, in_shapes)`` that returns whether the concatenated
    #: elements of all outputs equal those of all inputs. Then a graph may place inputs and outputs
    #: in the same memory and skip the call. Either the input or the output is a single array.
    keeps_order: Any = None
    #: None, or a method ``blocked_form(self, inputs, needs_gradient)`` that returns the operator's
    #: form for blocked arrays, a `layouts.BlockedForm`, or None. `inputs` has a `layouts.Input` for
    #: each argument; `needs_gradient` is whether the call is differentiated. Graphs then keep
    #: arrays blocked between operators.
    blocked_form: Any = None
    #: None, or the elementwise kernel of the core that computes the operator: ``("unary", "exp")``,
    #: ``("binary", "add")`` or ``("scalar", "add")``. It then runs without Python, and the kernel
    #: determines shapes and types. A scalar operator has one attribute, the number.
    elementwise_kernel: ClassVar[tuple[str, str] | None] = None
    #: For a binary kernel: whether inputs are broadcast.
    kernel_broadcasts: ClassVar[bool] = False
    #: For a scalar kernel: whether the number is the left operand.
    kernel_reverse: ClassVar[bool] = False
    #: Steps that the computation can apply to its result while it is in the cache, if a graph
    #: requests them: names of ``op.declaring.epilogue.EPILOGUES``, as in ``("add", "relu")``. A
    #: constructor may set them depending on attributes.
    epilogues: Sequence[str] = ()
    #: Named attributes as in NNVM, for instance ``{"FInplaceOption": [(0, 0)]}``. Graphs read
    #: ``FInplaceOption``, ``FInplaceIdentity`` (True: the output is the input with another shape),
    #: ``IsConstant`` (True: the result depends only on shapes and types of inputs),
    #: ``IsUnbroadcast`` (True: the output is the first input, summed to the output's shape) and
    #: ``IsPure`` (True: equal inputs give equal results, and `compute` has no side effects). Calls
    #: with sparse arrays read ``FComputeEx``, a function ``(prop, *inputs)`` that returns the
    #: outputs, dense or sparse, or NotImplemented to call the operator with dense copies; and
    #: ``FMutateInputs``, a function ``(prop)`` that returns the positions of inputs that change.
    attrs: ClassVar[Mapping[str, Any]] = {}
    #: All typed attributes in the order of definition, collected from the class body.
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

        A declaration may set a number in its body: ``num_visible_outputs = 1`` hides a mask that
        only the gradient reads.
        """
        return len(self.list_outputs())

    @property
    def inplace_pairs(self) -> list[tuple[int, int]]:
        """Pairs of input and output that may share memory: ``FInplaceOption`` in `attrs`."""
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
        """Return the names of the inputs; ``arg0``, ``arg1``, ... if their number varies."""
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
        """Return the types that follow from the declared ones; see `output_dtypes`.

        Parameters
        ----------
        in_type : sequence of type or None
            None if unknown.

        Raises
        ------
        DTypeError
            Inputs without types of their own in `argument_dtypes` have different types.
        """
        return default_types(self, in_type)

    def compute_on(self, context: Context) -> Any:
        """Return the `compute` for calls on a device.

        Native operators choose among the functions of their library; other operators have one
        `compute`, or None.
        """
        return self.compute

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the ids of the arrays that backward reads, as specified by `saves`."""
        deps = list(out_grad) if self.need_top_grad_ else []
        groups = (
            ("inputs", self.list_arguments(), in_data),
            ("outputs", self.list_outputs(), out_data),
        )
        for group, names, ids in groups:
            if group in self.saves:
                deps.extend(ids)
            else:
                # Not strict: MXNet programs pass fewer ids than names.
                deps.extend(i for n, i in zip(names, ids, strict=False) if n in self.saves)
        return deps

    def create_operator(self, ctx: Any, in_shapes: list[list[int]], in_dtypes: list[int]) -> Any:
        """Return an object with ``forward`` and ``backward``; must be overridden."""
        raise NotImplementedError(
            f"{type(self).__qualname__} declares the operator {self.name!r} but does not define "
            "create_operator(self, ctx, in_shapes, in_dtypes); return a CustomOp from it"
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.attributes)
        return f"{type(self).__name__}({values})"


#: Names that attributes must not have, because the generated function has such parameters.
_RESERVED = frozenset({"op_type", "out"})


#: Common bases of all declarations; skipped, because an import collects attributes 200 times.
_WITHOUT_ATTRIBUTES = frozenset(OperatorProp.__mro__)


def collect_attributes(cls: type) -> dict[str, Attribute]:
    """Return the attributes of `cls`, those of bases first; None in a body removes one."""
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
    """Reject a declaration that is inconsistent, or conflicts with others in kinds of `attrs`."""
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
        if key in _RESERVED or key in _PROTOCOL:
            raise TypeError(f"{where}: an attribute cannot be called {key!r}; choose another name")
        if key in cls.arguments:
            raise TypeError(f"{where}: {key!r} is both an input and an attribute")
    if cls.variadic is not None and cls.variadic not in cls.attributes:
        raise TypeError(
            f"{where}: variadic = {cls.variadic!r} is not an attribute; "
            f"add {cls.variadic} = Attribute(int, default=1, ge=1)"
        )
    if cls.shapes_from_values and cls.compose is None:
        raise TypeError(
            f"{where}: shapes_from_values is True, but compose(self, F, *inputs), which computes "
            "outputs and their shapes, is missing"
        )
    if cls.name:  # attributes and inputs of a base without a name may be incomplete
        check_declared_types(where, cls)
    check_kinds(cls.name or cls.__qualname__, cls.__dict__.get("attrs", {}))


#: Members of the protocol, which an attribute of the same name would hide.
_PROTOCOL = frozenset(key for key in dir(OperatorProp) if not key.startswith("__")) | {
    "need_top_grad_"
}


def declared_name(prop: Any) -> str:
    """Return the name of a declaration; empty for a `CustomOpProp`, whose `name` is private.

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


def visible_outputs(prop: Any, count: int) -> Any:
    """Return the number of outputs of a declaration that the caller sees.

    Parameters
    ----------
    prop : CustomOpProp
        The declaration; if it declares no number, all outputs are visible.
    count : int
        Number of its outputs.
    """
    declared = getattr(type(prop), "num_visible_outputs", None)
    if declared is OperatorProp.num_visible_outputs:
        return count
    return getattr(prop, "num_visible_outputs", count)
