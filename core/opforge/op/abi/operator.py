"""`NativeOperator`: declaration of an operator that is implemented by C functions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from ...base.context import Context, cpu
from ...base.dtypes import code_of, dtype_of
from ...native.abi.computations import ForeignForward, MissingForward
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
from ..declaring.errors import OperatorContextError
from ..registry.entry import Entry
from ..registry.registry import OPERATORS
from .devices import device_of, type_names
from .library import find_operators
from .placement import (
    ATTRIBUTE_KINDS,
    attribute_values,
    checked_types,
    foreign_forward,
    missing,
)

__all__ = ["NativeOperator"]


class NativeOperator(OperatorProp):
    """Base class of declarations of operators that compute in C functions, without Python.

    The functions are those of the operator with the same name in `library`, which may have a set
    for each type of device; ``opforge/abi.h`` in `opforge.get_include()` documents their arguments.
    Shapes and types are inferred by its `complete` or `infer` function, or by the methods
    `infer_shape` and `infer_type`. The gradient is its `backward` function, which reads the arrays
    in `saves`, or the declaration's `gradient`, which composes it from operators.

    Raises
    ------
    PluginError
        The library cannot be used; raised by the class definition.

    Examples
    --------
    >>> import ctypes
    >>> from opforge.op.abi import functions
    >>> @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
    ... def nothing(call):
    ...     return 0
    >>> class Nothing(NativeOperator):
    ...     '''Leave the output unchanged.'''
    ...
    ...     name = "nothing_in_c"
    ...     library = functions(forward=nothing)
    ...     differentiable = False
    """

    #: Extension module with the capsule, the capsule itself, or the result of `functions`.
    library: ClassVar[Any] = None
    #: C functions must not get types that they were not written for: `dtypes` must name bfloat16.
    numpy_types_only: ClassVar[bool] = True
    #: Version of the C interface that `library` was built for, as ``"2.0"``.
    abi_version: ClassVar[str] = ""
    #: The C functions by DLPack's type of device, looked up by the class definition.
    _kernels: ClassVar[Mapping[int, ForeignOperator]] = {}
    #: Those that infer shapes and types: of the CPU, or of another device if it has none.
    _functions: ClassVar[ForeignOperator | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.library is None or not cls.name:
            return
        cls._kernels = find_operators(cls.library, cls.name)
        cls._functions = next(iter(cls._kernels.values()))
        cls.abi_version = ".".join(map(str, cls._functions.version))
        _check(cls)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self._functions is None:
            raise TypeError(
                f"{type(self).__qualname__} has no library; set library = _native, the extension "
                "module with its C functions"
            )
        self._instance = ForeignInstance(self._functions, attribute_values(self))
        self._computations: dict[tuple[int, int], ForeignForward | MissingForward] = {
            (self._functions.device_type, 0): foreign_forward(
                self, self._instance, self.checked_types
            )
        }
        self.compute = self.compute_on(cpu())

    def __reduce__(self) -> Any:
        # Unpickling creates the state of the C functions again, from the attributes.
        values = {key: getattr(self, key) for key in self.attributes}
        return partial(type(self), **values), ()

    def compute_on(self, context: Context) -> ForeignForward | MissingForward:
        """Return the computation on a device; without functions for it, one that raises."""
        device = device_of(context)
        found = self._computations.get(device)
        if found is None:
            found = self._computations.setdefault(device, self._new_computation(context, *device))
        return found

    def _new_computation(
        self, context: Context, device_type: int, device_id: int
    ) -> ForeignForward | MissingForward:
        functions = self._kernels.get(device_type)
        if functions is None:
            return MissingForward(
                partial(_missing_on, type(self), context), self.has_native_gradient()
            )
        instance = ForeignInstance(functions, attribute_values(self), device_id)
        return foreign_forward(self, instance, self.checked_types)

    def checked_types(self, shapes: Sequence[Any], codes: Sequence[int]) -> tuple[Any, Any]:
        """Return shapes and type codes of the outputs, after checking those of the inputs.

        Inference treats 0 as an unknown dimension that it may fill in; the arrays of a call must
        match the inferred shapes exactly.

        Parameters
        ----------
        shapes, codes : sequence
            Those of arguments, then auxiliary states.
        """
        return checked_types(self, _entry_of(type(self)), shapes, codes)

    def infer_shape(self, in_shape: Any) -> Any:
        """Call the C function `complete`, or `infer` if all inputs are known."""
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
        """Call the C functions; without any, all arrays have the same type."""
        assert self._functions is not None
        n_outputs, n_states = len(self.list_outputs()), len(self.list_auxiliary_states())
        if self._functions.has_complete:
            unknown = [-1] * n_outputs, [-1] * n_states
            found = complete_types(self._instance, _codes(in_type), *unknown)
            inputs, outputs, states = (_types(group) for group in found)
            return inputs, outputs, states
        if not self._functions.has_infer:
            return super().infer_type(in_type)
        codes = infer_types(self._instance, _codes(in_type), n_outputs)
        common = next((dtype for dtype in in_type if dtype is not None), None)
        return list(in_type), _types(codes), [common] * n_states

    def fill_gradients(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any = ()
    ) -> None:
        """Call the C function `backward` on arrays without recording, for checks.

        Parameters
        ----------
        req : list of str
            How to store each gradient.
        out_grad, in_data, out_data : list of NDArray
        in_grad : list of NDArray
            Gradients to fill.
        aux : list of NDArray
            Auxiliary states.
        """
        groups = (list(group) for group in (out_grad, in_data, out_data, in_grad, req, aux))
        self.compute.gradient(*groups)

    @classmethod
    def has_native_gradient(cls) -> bool:
        """Return whether the gradient is a C function."""
        return cls._functions is not None and cls._functions.has_backward

    def infer_inputs(self, in_shapes: Sequence[Any], out_shapes: Sequence[Any]) -> list[Any]:
        """Infer shapes of inputs from those of the outputs by the C function `complete`."""
        assert self._functions is not None
        if not self._functions.has_complete:
            return list(in_shapes)
        unknown = [None] * len(self.list_auxiliary_states())
        inputs = complete_shapes(self._instance, in_shapes, out_shapes, unknown)
        return [shape or () for shape in inputs[0]]

    def infer_input_types(self, in_types: Sequence[Any], out_types: Sequence[Any]) -> list[Any]:
        """Infer types of inputs from those of the outputs by the C function `complete`."""
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


def _missing_on(cls: type[NativeOperator], context: Context) -> OperatorContextError:
    return missing(_entry_of(cls), context, list(cls._kernels))


def _entry_of(cls: type[OperatorProp]) -> Entry:
    """Return the registry entry of a declaration, which names its provider."""
    for entry in OPERATORS.providers(cls.name).values():
        if entry.prop_class is cls:
            return entry
    return Entry(cls.name, cls)


def _check(cls: type[NativeOperator]) -> None:
    """Reject a declaration that does not match its functions."""
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
    for made in cls._kernels.values():
        if (made.has_backward, made.draws_random) != (
            cls._functions.has_backward,
            cls._functions.draws_random,
        ):
            raise TypeError(
                f"{where}: its C library has backward, or the flag OPFORGE_RANDOM, for some of the "
                f"devices {type_names(cls._kernels)} only; provide it for all of them or none"
            )
    for key, attribute in cls.attributes.items():
        _check_kind(where, key, attribute)


def _check_kind(where: str, key: str, attribute: Attribute) -> None:
    if attribute.type not in ATTRIBUTE_KINDS:
        raise TypeError(
            f"{where}: the attribute {key!r} is of type {attribute.type.__name__}, which C "
            "functions do not support; use one of "
            f"{', '.join(kind.__name__ for kind in ATTRIBUTE_KINDS)}"
        )
