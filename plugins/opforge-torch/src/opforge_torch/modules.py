"""`BlockModule`: a Gluon block as a module of PyTorch."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from opforge.plugin_api import Block, autograd, gluon

from .errors import TorchError
from .tensors import array_of, tensor_of

__all__ = ["BlockModule"]


class BlockModule(torch.nn.Module):
    """Module that calls a block and shares its parameters.

    Parameters
    ----------
    block : Block
    """

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block
        self._trained: list[torch.nn.Parameter] = []
        self._shared: list[tuple[Any, torch.Tensor]] = []
        for name, parameter in block._collect_params_with_prefix().items():
            if not gluon.parameter.is_known(parameter.shape):
                raise TorchError(
                    f"parameter {parameter.name!r} has the shape {parameter.shape}; call the block "
                    "once with an array, so that all shapes are known"
                )
            self._add(name, parameter)

    def _add(self, name: str, parameter: Any) -> None:
        """Register a parameter in submodules of its structural name."""
        holder: torch.nn.Module = self
        *path, last = name.split(".")
        for part in path:
            if part not in holder._modules:
                holder.add_module(part, torch.nn.Module())
            holder = holder.get_submodule(part)
        tensor = next((t for p, t in self._shared if p is parameter), None)
        known = tensor is not None
        if tensor is None:
            tensor = tensor_of(parameter.data())
        if not parameter._differentiable:
            holder.register_buffer(last, tensor)
        else:
            trained = parameter.grad_req != "null"
            if not isinstance(tensor, torch.nn.Parameter):
                tensor = torch.nn.Parameter(tensor, requires_grad=trained)
            holder.register_parameter(last, tensor)
            if not known:
                self._trained.append(tensor)
        if not known:
            self._shared.append((parameter, tensor))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy or unpickle the module: with separate parameters."""
        return _restore, (self.block, self.training)

    def _apply(self, fn: Any, recurse: bool = True) -> "BlockModule":
        """Reject changes of dtype and device, which would end the sharing."""
        for parameter, tensor in self._shared:
            if fn(tensor.data).data_ptr() != tensor.data_ptr():
                raise TorchError(
                    f"parameter {parameter.name!r} shares its memory with the block; cast the "
                    "block before as_module(), for example block.cast('float16')"
                )
        return self

    def share(self) -> None:
        """Let tensors use the block's memory, which loading or casting the block may replace."""
        for parameter, tensor in self._shared:
            tensor.data = tensor_of(parameter.data())

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Return what the block returns for the inputs: a tensor or a tuple of tensors."""
        self.share()
        is_recorded = torch.is_grad_enabled()
        found = _Call.apply(self, is_recorded, len(inputs), *inputs, *self._trained)
        return found[0] if len(found) == 1 else found


def _restore(block: Block, training: bool) -> BlockModule:
    return BlockModule(block).train(training)


class _Call(torch.autograd.Function):
    """One call of a block, with its inputs and its parameters as inputs."""

    @staticmethod
    def forward(
        ctx: Any, module: BlockModule, is_recorded: bool, count: int, *tensors: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        needed = ctx.needs_input_grad[3:]
        inputs = [array_of(tensor) for tensor in tensors[:count]]
        parameters = [p for p, tensor in module._shared if isinstance(tensor, torch.nn.Parameter)]
        variables = [*inputs, *(parameter.data() for parameter in parameters)]
        for array in (array for array, is_needed in zip(inputs, needed, strict=False) if is_needed):
            array.attach_grad()
        if is_recorded and any(needed):
            with autograd.record(train_mode=module.training):
                outputs = _flat(module.block(*inputs))
        else:
            with autograd.train_mode() if module.training else autograd.predict_mode():
                outputs = _flat(module.block(*inputs))
        ctx.save_for_backward(*tensors)  # backward() then notices changes in between
        ctx.outputs = outputs
        ctx.variables = [v for v, is_needed in zip(variables, needed, strict=True) if is_needed]
        results = tuple(tensor_of(output) for output in outputs)
        ctx.mark_non_differentiable(*(t for t in results if not t.is_floating_point()))
        for parameter, tensor in module._shared:
            if not isinstance(tensor, torch.nn.Parameter):
                parameter.data().wait_to_read()  # PyTorch does not wait for running means
        return results

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[Any, ...]:
        tensors = ctx.saved_tensors
        heads = [array_of(gradient) for gradient in gradients]
        found = iter(autograd.grad(ctx.outputs, ctx.variables, heads, retain_graph=True))
        given = zip(tensors, ctx.needs_input_grad[3:], strict=True)
        made = [tensor_of(next(found)).reshape(t.shape) if need else None for t, need in given]
        return None, None, None, *made


def _flat(outputs: Any) -> Sequence[Any]:
    """Return the outputs of a block as a list."""
    found = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    for item in found:
        if isinstance(item, list | tuple):
            raise TorchError(
                "the block returns nested lists; return arrays or one list of them, so that "
                "PyTorch can follow the gradients"
            )
    return found
