"""`Executor`: a symbol bound to arrays, with MXNet's interface."""

from collections.abc import Callable, Collection, Mapping
from itertools import zip_longest
from typing import Any

from ..base.context import Context
from ..base.errors import OpforgeError
from ..native.calls.selection import fill
from .bound_arrays import expect_complete, output_array, overwrite, reshaped
from .compiler.compiled_graph import CompiledGraph
from .compiler.compiling import compile_graph
from .compiler.lowering import Lowered, lower
from .execution_text import describe_execution
from .gradient_types import CastGradients
from .head_gradients import head_gradients
from .monitoring import ExecutorMonitor
from .shared_memory import SharedMemory
from .symbol import Symbol

__all__ = ["Executor"]


class Executor:
    """A graph bound to arrays, as returned by `Symbol.bind` and `Symbol.simple_bind`.

    An executor computes in one thread at a time, and so do those that share memory.

    Parameters
    ----------
    symbol : Symbol
    ctx : Context
    args : dict of str to NDArray
    args_grad : dict of str to NDArray
        Arrays to which gradients are written.
    grad_req : dict of str to {"write", "add", "null"}
    aux_states : dict of str to NDArray
    shared : Executor, optional
        Executor whose memory for intermediate results may be reused.
    inputs : collection of str, optional
        Arguments that are data; the others are parameters, which seldom change. Default: those of
        `shared`, or all.
    reshaped_from : Executor, optional
        Executor whose output memory is reused if it is large enough.

    Attributes
    ----------
    arg_dict, grad_dict, aux_dict : dict of str to NDArray
    outputs : list of NDArray
        Results of the last `forward`; the next one writes into the same arrays.
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Context,
        args: Mapping[str, Any],
        args_grad: Mapping[str, Any],
        grad_req: Mapping[str, str],
        aux_states: Mapping[str, Any],
        shared: "Executor | None" = None,
        inputs: Collection[str] | None = None,
        reshaped_from: "Executor | None" = None,
    ) -> None:
        self._symbol = symbol
        self._ctx = ctx
        self._grad_req = dict(grad_req)
        self.arg_dict = dict(args)
        self.aux_dict = dict(aux_states)
        self.grad_dict = {name: args_grad.get(name) for name in args}
        self._monitor: ExecutorMonitor | None = None
        #: Arrays that programs read, even if a user replaces entries of the dictionaries later.
        self._given = given = {**args, **aux_states}
        self._gradients = CastGradients(
            args,
            args_grad,
            {n: r for n, r in grad_req.items() if r != "null" and n in args_grad},
        )
        if inputs is None:
            inputs = given if shared is None else shared._inputs
        self._inputs: frozenset[str] = frozenset(inputs)
        self._parameters = [name for name in given if name not in self._inputs]
        self._memory: SharedMemory = (
            SharedMemory(ctx) if shared is None or shared._ctx != ctx else shared._memory
        )
        self.outputs: list[Any] = [] if reshaped_from is None else reshaped_from.outputs
        #: Token of the executor that last wrote the outputs, among those that share them.
        self._writer: list[Any] = [None] if reshaped_from is None else reshaped_from._writer
        self._token = object()
        self._output_names = symbol.list_outputs()
        self._prepare(self._gradients.requests)

    def _prepare(self, requests: Mapping[str, str]) -> None:
        """Compile the graph and allocate the outputs."""
        with self._ctx:
            graph = self._lower(predicting=False)
            self._changes = graph.changes_in_prediction
            self._compiled = self._compile(graph, requests)
        #: Arguments that no gradient reaches because of operators without one: theirs are zero.
        self._unreached = [
            name
            for name, request in requests.items()
            if request == "write" and name not in self._compiled.grads
        ]
        #: Whether the backward pass reads the gradient of each output.
        self._reads_heads = [slot is not None for slot in self._compiled.heads]
        #: Outputs whose gradient the backward pass reads, each with the slot of its gradient.
        self._gradient_slots = [(k, s) for k, s in enumerate(self._compiled.heads) if s is not None]
        self._program = self._compiled.instantiate()
        #: Graph and program for predictions, if they differ from those for training because they
        #: use other operators, or values that are valid only while the parameters do not change.
        self._predictor: tuple[CompiledGraph, Any] | None = None
        #: Whether `backward` may follow a prediction, in which case it runs the graph again.
        self._trains = bool(requests)
        if not self._changes and not (requests and self._parameters):
            self._predictor = self._compiled, self._program
        types = [self._compiled.types[slot] for slot in self._compiled.outputs]
        self.outputs = [
            output_array(old, t.shape, t.code, self._ctx)
            for t, old in zip_longest(types, self.outputs)
        ]
        self._put_all(self._compiled, self._program)
        #: Program that computed the outputs.
        self._last: Any = None

    def _lower(self, predicting: bool) -> Lowered:
        shapes = {name: array.shape for name, array in self._given.items()}
        codes = {name: array.dtype_code for name, array in self._given.items()}
        return lower(self._symbol, shapes, codes, predicting)

    def _compile(self, graph: Lowered, requests: Mapping[str, str]) -> CompiledGraph:
        return compile_graph(graph, requests, self._parameters, self._memory.steady)

    def _put_all(self, compiled: CompiledGraph, program: Any) -> None:
        for name, slot in compiled.inputs.items():
            program.put(slot, self._given[name])
        for slot, array in zip(compiled.outputs, self.outputs, strict=True):
            program.put(slot, array)
        for name, slot in compiled.grads.items():
            program.put(slot, self._gradients.written[name])

    def _prediction(self) -> tuple[CompiledGraph, Any]:
        """Return graph and program for predictions, created on first use."""
        if self._predictor is None:
            self._predictor = self._new_prediction() or (self._compiled, self._program)
        return self._predictor

    def _new_prediction(self) -> tuple[CompiledGraph, Any] | None:
        """Return a separate graph and program for predictions; None if they would not differ."""
        with self._ctx:
            graph = self._lower(predicting=True)
            if self._trains and not graph.is_pure:
                return None
            compiled = self._compile(graph, {})
        if not self._changes and not len(compiled.steady):
            return None
        made = compiled, compiled.instantiate()
        self._put_all(*made)
        return made

    @property
    def arg_arrays(self) -> list[Any]:
        """The arguments, in the order of ``list_arguments()``."""
        return list(self.arg_dict.values())

    @property
    def grad_arrays(self) -> list[Any]:
        """Gradients of the arguments; None for an argument without one."""
        return list(self.grad_dict.values())

    @property
    def aux_arrays(self) -> list[Any]:
        """The auxiliary states, in the order of ``list_auxiliary_states()``."""
        return list(self.aux_dict.values())

    @property
    def output_dict(self) -> dict[str, Any]:
        """The outputs by name."""
        return dict(zip(self._output_names, self.outputs, strict=True))

    @property
    def nbytes(self) -> int:
        """Approximate bytes of the program and the outputs."""
        types = self._compiled.types
        return self._compiled.nbytes + sum(types[slot].nbytes for slot in self._compiled.outputs)

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[Any]:
        """Compute the outputs.

        Parameters
        ----------
        is_train : bool
            Passed on to operators as ``is_train``; must be True before `backward`.
        **kwargs : NDArray
            New values of arguments, by name; they are copied.

        Raises
        ------
        TypeError
            The executor has no such argument.
        ShapeError
            A value does not have the shape of the argument.
        OpforgeError
            Another thread is running this executor, or one that shares memory with it.
        """
        lock = self._memory.lock  # not in a `with` block, which would wait for it
        if not lock.acquire(False):
            raise self._memory.in_use()
        try:
            for name, value in kwargs.items():
                overwrite(self.arg_dict, name, value, "argument")
            self._compute(bool(is_train))
            if self._monitor is not None:
                self._monitor.after_forward(bool(is_train))
            return self.outputs
        finally:
            lock.release()

    def _compute(self, is_train: bool) -> None:
        made = (self._compiled, self._program) if is_train else self._prediction()
        self._run_forward(*made, is_train)

    def _run_forward(self, compiled: CompiledGraph, program: Any, is_train: bool) -> None:
        compiled.steady.put(program, is_train)
        self._memory.acquire(program)
        program.run(0, compiled.n_forward, is_train)
        if not is_train:
            self._memory.release(program)
        self._last, self._writer[0] = program, self._token

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Compute the gradients of the arguments for which they are requested.

        Parameters
        ----------
        out_grads : NDArray, list or dict of NDArray, optional
            Gradients of the outputs; losses need none. Elements of a list beyond the number of
            outputs are ignored.
        is_train : bool

        Raises
        ------
        OpforgeError
            The gradient of an output is needed and was not passed, an executor that shares
            memory with this one has run since `forward`, or another thread is running one.
        """
        lock = self._memory.lock
        if not lock.acquire(False):
            raise self._memory.in_use()
        try:
            self._backward(out_grads, is_train)
            if self._gradients.targets:
                self._gradients.cast()
        finally:
            lock.release()

    def _backward(self, out_grads: Any, is_train: bool) -> None:
        if self._last is None:
            self.forward(is_train)
        if self._last is not self._program:
            # A prediction does not keep the values that gradients are computed from.
            self._run_forward(self._compiled, self._program, False)
        if not self._program.is_inside or self._writer[0] is not self._token:
            raise OpforgeError(
                "backward: another executor that shares memory with this one has run since; call "
                "forward(is_train=True) again"
            )
        names = self._output_names
        given = head_gradients(out_grads, names, self.outputs, self._reads_heads)
        for name in self._unreached:
            fill(self._gradients.written[name], 0)
        for output, slot in self._gradient_slots:
            if given[output] is None:
                raise OpforgeError(
                    f"backward: the output {names[output]!r} is not a loss, so its gradient is "
                    "needed; pass out_grads"
                )
            self._program.put(slot, given[output])
        self._program.run(self._compiled.n_forward, len(self._program), bool(is_train))
        for _, slot in self._gradient_slots:
            self._program.put(slot, None)
        self._memory.release(self._program)
        if self._monitor is not None:
            self._monitor.after_backward(given, bool(is_train))

    def set_monitor_callback(
        self, callback: Callable[[bytes, Any], Any], monitor_all: bool = False
    ) -> None:
        """Call ``callback(name, array)`` for each operator's outputs after every `forward`.

        Hidden outputs, such as the mean of a BatchNorm, are shown too, and after `backward` the
        gradients of each operator's inputs, as ``fc1_backward_output0``. All values are computed
        again, one by one, which is slow. Executors that `reshape` returns later use it too.

        Parameters
        ----------
        callback : callable
            Receives the name as bytes, as in MXNet, and an NDArray, which ``ctypes.cast`` converts
            to a `base.NDArrayHandle`.
        monitor_all : bool
            Also call it for the inputs of the operators; a variable is shown by its own name and
            by the name of the input. Gradients that are passed to `backward` are named
            ``_head_grad_0``, ``_head_grad_1``, ...
        """
        self._monitor = ExecutorMonitor(self, callback, monitor_all)

    def get_optimized_symbol(self) -> Any:
        """Return the symbol; its optimized form is not one of operators."""
        return self._symbol

    def debug_str(self) -> str:
        """Return the graph as text: its outputs, its nodes, and the memory of a pass in MB."""
        return describe_execution(self._symbol, self._compiled.layout.nbytes)

    def copy_params_from(
        self,
        arg_params: Mapping[str, Any],
        aux_params: Mapping[str, Any] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copy values into arguments and auxiliary states.

        Raises
        ------
        ValueError
            A name is unknown and `allow_extra_params` is not set.
        """
        for given, table, what in (
            (arg_params, self.arg_dict, "argument"),
            (aux_params or {}, self.aux_dict, "auxiliary state"),
        ):
            for name, value in given.items():
                if name in table:
                    overwrite(table, name, value, what)
                elif not allow_extra_params:
                    raise ValueError(f'Find name "{name}" that is not in the {what}s')

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> "Executor":
        """Return an executor for inputs of other shapes that shares memory with this one.

        Arrays whose shape does not change are shared, smaller ones use the memory of the arrays
        here, larger ones are new and zero. Outputs use the memory of the outputs here if it is
        large enough, so `forward` of one executor overwrites the outputs of the other. Intermediate
        results share memory too: run the backward pass of one executor before the other runs.

        Parameters
        ----------
        partial_shaping : bool
            Whether shapes of arrays that are not named may change.
        allow_up_sizing : bool
            Whether arrays may become larger.
        **kwargs : tuple of int
            New shapes, by name.

        Raises
        ------
        ShapeError
            An array that is not named would change, or an array would become larger.
        """
        arg_shapes, _, aux_shapes = self._symbol.infer_shape_partial(**kwargs)
        expect_complete(self._given, (*arg_shapes, *aux_shapes))
        named = set(self.arg_dict if partial_shaping else kwargs)
        args, grads = {}, {}
        for (name, old), shape in zip(self.arg_dict.items(), arg_shapes, strict=True):
            args[name] = reshaped(f"arg:{name}", old, shape, name in named, allow_up_sizing)
            grad = self.grad_dict[name]
            if grad is not None:
                grads[name] = reshaped(f"arg:{name}", grad, shape, True, allow_up_sizing)
        states = {
            name: reshaped(f"aux:{name}", old, shape, partial_shaping, allow_up_sizing)
            for (name, old), shape in zip(self.aux_dict.items(), aux_shapes, strict=True)
        }
        req, inputs = self._grad_req, self._inputs.union(kwargs)
        other = type(self)(self._symbol, self._ctx, args, grads, req, states, self, inputs, self)
        if self._monitor is not None:
            other.set_monitor_callback(self._monitor.callback, self._monitor.with_inputs)
        return other
