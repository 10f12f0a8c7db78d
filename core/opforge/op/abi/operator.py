"""`NativeOperator`: the declaration of an operator whose functions are C functions."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from ...base.dtypes import DTYPES, NAMES, code_of, dtype_of
from ...base.errors import DTypeError, ShapeError
from ...native.abi.computations import ForeignForward
from ...native.abi.inference import (
    complete_shapes,
    complete_types,
    infer_shapes,
    infer_types,
)
from ...native.abi.instance import ForeignInstance
from ...native.abi.table import ForeignOperator
from ..declaring.attribute import Attribute
from ..declaring.declaration import OperatorProp
from ..declaring.errors import shapes_text
from ..declaring.inference import infer
from ..declaring.values import DType, Floats, OptionalInts, Shape
from ..registry.entry import Entry
from ..registry.registry import OPERATORS
from .library import find_operator

__all__ = ["NativeOperator"]

#: Type of an attribute -> how the C functions get it.
_KINDS: dict[Any, str] = {
    int: "int",
    bool: "int",
    DType: "int",
    float: "float",
    str: "text",
    Shape: "ints",
    OptionalInts: "ints",
    Floats: "floats",
}


class NativeOperator(OperatorProp):
    """Base of declarations of operators that compute in C functions, without Python.

    The functions are those of the operator of the same name in `library`; ``opforge/abi.h`` in
    `opforge.get_include()` says what they get. Shapes and types are inferred by its `complete` or
    `infer` function, or by the methods `infer_shape` and `infer_type`. The gradient is its
    `backward` function, which gets what `saves` names, or the declaration's `gradient`, which
    composes it of operators.

    Raises
    ------
    PluginError
        When the class is defined: the library cannot be used.

    Examples
    --------
    >>> import ctypes
    >>> from opforge.op.abi import functions
    >>> @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
    ... def nothing(call):
    ...     return 0
    >>> class Nothing(NativeOperator):
    ...     '''Leave the output as it is.'''
    ...
    ...     name = "nothing_in_c"
    ...     library = functions(forward=nothing)
    ...     differentiable = False
    """

    #: The extension module with the capsule, the capsule, or what `functions` returned.
    library: ClassVar[Any] = None
    #: Version of the C interface that `library` was built for, as ``"1.0"``.
    abi_version: ClassVar[str] = ""
    #: The C functions, found when the class is defined.
    _functions: ClassVar[ForeignOperator | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.library is None or not cls.name:
            return
        cls._functions = find_operator(cls.library, cls.name)
        cls.abi_version = ".".join(map(str, cls._functions.version))
        _check(cls)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self._functions is None:
            raise TypeError(
                f"{type(self).__qualname__} has no library; set library = _native, the extension "
                "module with its C functions"
            )
        self._instance = ForeignInstance(self._functions, self._values())
        counts = len(self.list_arguments()), len(self.list_outputs())
        n_states = len(self.list_auxiliary_states())
        self.compute = ForeignForward(self._instance, *counts, self.checked_types, n_states)

    def __reduce__(self) -> Any:
        # What the C functions made of the attributes is made anew.
        values = {key: getattr(self, key) for key in self.attributes}
        return partial(type(self), **values), ()

    def _values(self) -> list[tuple[str, str, Any]]:
        """Return name, kind and value of each attribute, as the C functions get them."""
        found = []
        for key, attribute in self.attributes.items():
            value = getattr(self, key)
            if attribute.type is DType and value is not None:
                value = code_of(value)
            found.append((key, _KINDS[attribute.type], value))
        return found

    def checked_types(self, shapes: Sequence[Any], codes: Sequence[int]) -> tuple[Any, Any]:
        """Return shapes and type codes of the outputs, as a call is checked against them.

        To the inference 0 is a length that is not known yet, which it may find; the arrays of a
        call are as they are.

        Parameters
        ----------
        shapes, codes : sequence
            Of arguments, then auxiliary states.
        """
        inferred = infer(self, _entry_of(type(self)), shapes, codes)
        names = [*self.list_arguments(), *self.list_auxiliary_states()]
        found = (*inferred.in_shapes, *inferred.aux_shapes)
        kinds = (*inferred.in_codes, *inferred.aux_codes)
        for name, given, wanted in zip(names, shapes, found, strict=True):
            if tuple(given) != wanted:
                raise ShapeError(
                    f"operator {self.name!r}: input {name!r} has shape {tuple(given)}, expected "
                    f"{wanted}; the inputs have shapes {shapes_text(shapes)}"
                )
        for name, code, kind in zip(names, codes, kinds, strict=True):
            if code != kind:
                raise DTypeError(
                    f"operator {self.name!r}: input {name!r} is {DTYPES[code].__name__}, expected "
                    f"{DTYPES[kind].__name__}"
                )
        return inferred.out_shapes, inferred.out_codes

    def infer_shape(self, in_shape: Any) -> Any:
        """Ask the C functions, where there are any: `complete`, or `infer` about known inputs."""
        assert self._functions is not None
        n_outputs, n_states = len(self.list_outputs()), len(self.list_auxiliary_states())
        if self._functions.has_complete:
            unknown = [None] * n_outputs, [None] * n_states
            return complete_shapes(self._instance, in_shape, *unknown)
        if not self._functions.has_infer:
            return super().infer_shape(in_shape)
        if not all(in_shape):
            return in_shape, [None] * n_outputs, [None] * n_states
        outputs = infer_shapes(self._instance, in_shape, n_outputs)
        return in_shape, outputs, [None] * n_states

    def infer_type(self, in_type: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Ask the C functions, where there are any; else all arrays have one type."""
        assert self._functions is not None
        known, outputs, states = super().infer_type(in_type)
        if self._functions.has_complete:
            unknown = [-1] * len(outputs), [-1] * len(states)
            found = complete_types(self._instance, _codes(in_type), *unknown)
            inputs, outputs, states = (_types(group) for group in found)
            return inputs, outputs, states
        if not self._functions.has_infer:
            self._expect_one_type(known)
            return known, outputs, states
        codes = infer_types(self._instance, _codes(in_type), len(outputs))
        return list(in_type), _types(codes), states

    def _expect_one_type(self, types: Sequence[Any]) -> None:
        """Refuse inputs that C functions, which have said nothing of types, would misread."""
        names, codes = self.list_arguments(), _codes(types)
        for name, code in zip(names, codes, strict=True):
            if code != codes[0]:
                wanted = NAMES[codes[0]]
                raise DTypeError(
                    f"operator {self.name!r}: input {name!r} is {NAMES[code]}, expected {wanted} "
                    f"as {names[0]!r} is; convert it with {name}.astype({wanted!r})"
                )

    def fill_gradients(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any = ()
    ) -> None:
        """Call the C function `backward` on arrays, without recording: for checks of it.

        Parameters
        ----------
        req : list of str
            What to do with each gradient.
        out_grad, in_data, out_data : list of NDArray
        in_grad : list of NDArray
            To be filled.
        aux : list of NDArray
            Auxiliary states.
        """
        groups = (list(group) for group in (out_grad, in_data, out_data, in_grad, req, aux))
        self.compute.gradient(*groups)

    @classmethod
    def has_native_gradient(cls) -> bool:
        """Tell whether the gradient is a C function."""
        return cls._functions is not None and cls._functions.has_backward

    def infer_inputs(self, in_shapes: Sequence[Any], out_shapes: Sequence[Any]) -> list[Any]:
        """Let `complete` tell of the inputs' shapes what follows from the outputs'."""
        assert self._functions is not None
        if not self._functions.has_complete:
            return list(in_shapes)
        unknown = [None] * len(self.list_auxiliary_states())
        inputs = complete_shapes(self._instance, in_shapes, out_shapes, unknown)
        return [shape or () for shape in inputs[0]]

    def infer_input_types(self, in_types: Sequence[Any], out_types: Sequence[Any]) -> list[Any]:
        """Let `complete` tell of the inputs' types what follows from the outputs'."""
        assert self._functions is not None
        if not self._functions.has_complete:
            return list(in_types)
        unknown = [-1] * len(self.list_auxiliary_states())
        found = complete_types(self._instance, _codes(in_types), _codes(out_types), unknown)
        return _types(found[0])


def _codes(types: Sequence[Any]) -> list[int]:
    return [-1 if dtype is None else code_of(dtype) for dtype in types]


def _types(codes: Sequence[Any]) -> list[Any]:
    return [None if code is None else dtype_of(code) for code in codes]


def _entry_of(cls: type[OperatorProp]) -> Entry:
    """Return the registry's entry of a declaration, which says who provides it."""
    for entry in OPERATORS.providers(cls.name).values():
        if entry.prop_class is cls:
            return entry
    return Entry(cls.name, cls)


def _check(cls: type[NativeOperator]) -> None:
    """Refuse a declaration that does not fit its functions."""
    where = f"operator declaration {cls.__qualname__}"
    assert cls._functions is not None
    if cls._functions.has_backward and cls.gradient is not None:
        raise TypeError(f"{where}: the gradient is in its C library and in Python; remove one")
    if not cls._functions.has_backward and cls.gradient is None and cls.differentiable:
        raise TypeError(
            f"{where}: its C library has no backward function; add one, define "
            "gradient(self, F, out_grad, in_data, out_data), or set differentiable = False"
        )
    if cls.compose is not None:
        raise TypeError(f"{where}: compose and a C library exclude each other; remove one")
    if cls.epilogues and cls._functions.version < (1, 2):
        raise TypeError(
            f"{where}: epilogues need a C library that was built for version 1.2, this one is for "
            f"{cls.abi_version}; rebuild it without OPFORGE_TARGET_MINOR"
        )
    for key, attribute in cls.attributes.items():
        _check_kind(where, key, attribute)


def _check_kind(where: str, key: str, attribute: Attribute) -> None:
    if attribute.type not in _KINDS:
        raise TypeError(
            f"{where}: the attribute {key!r} is of type {attribute.type.__name__}, which C "
            f"functions cannot get; use one of {', '.join(kind.__name__ for kind in _KINDS)}"
        )
