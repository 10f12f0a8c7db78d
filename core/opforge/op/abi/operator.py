"""`NativeOperator`: the declaration of an operator whose functions are C functions."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from ...base.dtypes import code_of, dtype_of
from ...base.errors import ShapeError
from ...native.abi.computations import ForeignForward
from ...native.abi.instance import ForeignInstance
from ...native.abi.table import ForeignOperator
from ..attribute import Attribute
from ..declaration import OperatorProp
from ..errors import shapes_text
from ..inference import infer
from ..values import DType, Floats, OptionalInts, Shape
from .backward import backward_handle, entry_of, make_backward
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
    `opforge.get_include()` says what they get. Shapes and types are inferred by its `infer`
    function, or by the methods `infer_shape` and `infer_type`. The gradient is its `backward`
    function, or the declaration's `gradient`, which composes it of operators.

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
    #: The declaration of the operator that calls the C function `backward`.
    _backward_class: ClassVar[type[OperatorProp] | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.library is None or not cls.name:
            return
        cls._functions = find_operator(cls.library, cls.name)
        cls.abi_version = ".".join(map(str, cls._functions.version))
        _check(cls)
        if cls._functions.has_backward:
            cls._backward_class = make_backward(cls)
            cls.gradient = NativeOperator._call_backward

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self._functions is None:
            raise TypeError(
                f"{type(self).__qualname__} has no library; set library = _native, the extension "
                "module with its C functions"
            )
        self._instance = ForeignInstance(self._functions, self._values())
        counts = len(self.list_arguments()), len(self.list_outputs())
        self.compute = ForeignForward(self._instance, *counts, self.checked_types)
        self._parsed = tuple(getattr(self, key) for key in self.attributes)

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
        """
        inferred = infer(self, entry_of(type(self)), shapes, codes)
        for name, given, wanted in zip(
            self.list_arguments(), shapes, inferred.in_shapes, strict=True
        ):
            if tuple(given) != wanted:
                raise ShapeError(
                    f"operator {self.name!r}: input {name!r} has shape {tuple(given)}, expected "
                    f"{wanted}; the inputs have shapes {shapes_text(shapes)}"
                )
        return inferred.out_shapes, inferred.out_codes

    def infer_shape(self, in_shape: Any) -> Any:
        """Ask the C function `infer`, where there is one and the inputs' shapes are known."""
        assert self._functions is not None
        if not self._functions.has_infer:
            return super().infer_shape(in_shape)
        n_outputs = len(self.list_outputs())
        if not all(in_shape):
            return in_shape, [None] * n_outputs, []
        return in_shape, self._instance.infer_shapes(in_shape, n_outputs), []

    def infer_type(self, in_type: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Ask the C function `infer`, where there is one; else all arrays have one type."""
        assert self._functions is not None
        known, outputs, states = super().infer_type(in_type)
        if not self._functions.has_infer:
            return known, outputs, states
        codes = [-1 if dtype is None else code_of(dtype) for dtype in in_type]
        found = self._instance.infer_types(codes, len(outputs))
        return list(in_type), [None if code is None else dtype_of(code) for code in found], []

    def fill_gradients(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any
    ) -> None:
        """Call the C function `backward` on arrays, without recording: for checks of it.

        Parameters
        ----------
        req : list of str
            What to do with each gradient.
        out_grad, in_data, out_data : list of NDArray
        in_grad : list of NDArray
            To be filled.
        """
        cls: Any = type(self)._backward_class
        backward = cls(**dict(zip(self.attributes, self._parsed, strict=True)))
        kept = [*(in_data if cls._reads_inputs else ()), *(out_data if cls._reads_outputs else ())]
        backward.compute([*out_grad, *kept], in_grad, req, 1)

    @classmethod
    def has_native_gradient(cls) -> bool:
        """Tell whether the gradient is a C function."""
        return cls._backward_class is not None

    def _call_backward(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Call the C function `backward`, as an operator of its own."""
        cls: Any = type(self)._backward_class
        inputs = list(out_grad)
        if cls._reads_inputs:
            inputs += in_data
        if cls._reads_outputs:
            inputs += out_data
        result = F._invoke(backward_handle(cls, type(self)), tuple(inputs), self._parsed)
        count = len(self.list_arguments())
        return [result] if count == 1 else [result[at] for at in range(count)]


def _check(cls: type[NativeOperator]) -> None:
    """Refuse a declaration that does not fit its functions."""
    where = f"operator declaration {cls.__qualname__}"
    assert cls._functions is not None
    own = cls.gradient not in (None, NativeOperator._call_backward)
    if cls._functions.has_backward and own:
        raise TypeError(f"{where}: the gradient is in its C library and in Python; remove one")
    if not cls._functions.has_backward:
        if cls.gradient is NativeOperator._call_backward:
            cls.gradient = None  # inherited
        if cls.gradient is None and cls.differentiable:
            raise TypeError(
                f"{where}: its C library has no backward function; add one, define "
                "gradient(self, F, out_grad, in_data, out_data), or set differentiable = False"
            )
    if tuple(cls.auxiliary_states):
        raise TypeError(f"{where}: a native operator has no auxiliary states; use CustomOp")
    if cls.compose is not None:
        raise TypeError(f"{where}: compose and a C library exclude each other; remove one")
    for key, attribute in cls.attributes.items():
        _check_kind(where, key, attribute)


def _check_kind(where: str, key: str, attribute: Attribute) -> None:
    if attribute.type not in _KINDS:
        raise TypeError(
            f"{where}: the attribute {key!r} is of type {attribute.type.__name__}, which C "
            f"functions cannot get; use one of {', '.join(kind.__name__ for kind in _KINDS)}"
        )
