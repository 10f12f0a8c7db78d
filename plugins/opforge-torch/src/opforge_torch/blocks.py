"""`ModuleBlock`: a module of PyTorch as a Gluon block."""

from typing import Any

import torch

from opforge.plugin_api import Block, F, autograd

from .tensors import array_of, tensor_of

__all__ = ["ModuleBlock"]


class ModuleBlock(Block):
    """Block that calls a module and shares its parameters.

    Parameters
    ----------
    module : torch.nn.Module
    prefix : str, optional
    """

    def __init__(self, module: torch.nn.Module, prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self.module = module
        self._shared: list[tuple[Any, torch.Tensor]] = []
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            self._add(name, tensor)
        self.share()

    def _add(self, name: str, tensor: torch.Tensor) -> None:
        array = array_of(tensor)
        is_parameter = isinstance(tensor, torch.nn.Parameter)
        parameter = self.params.get(
            name,
            shape=array.shape,
            dtype=array.dtype,
            grad_req="write" if tensor.requires_grad else "null",
            differentiable=is_parameter,
            init="zeros",
        )
        parameter.initialize()
        parameter.set_data(array)
        self._reg_params[name] = parameter
        self._shared.append((parameter, tensor))

    def share(self) -> None:
        """Let the module use the memory of the parameters, which loading them may replace."""
        for parameter, tensor in self._shared:
            tensor.data = tensor_of(parameter.data()).reshape(tensor.shape)

    def forward(self, *inputs: Any) -> Any:
        """Return what the module returns for the inputs: an array or a list of arrays."""
        self.share()
        self.module.train(autograd.is_training())
        trained = [(p, t) for p, t in self._shared if p.grad_req != "null"]
        call = _Call(self.module, len(inputs), [tensor for _, tensor in trained])
        found = call(*inputs, *(parameter.data() for parameter, _ in trained))
        return found[0] if len(found) == 1 else found


class _Call(autograd.Function):
    """One call of a module, with its inputs and its parameters as inputs."""

    def __init__(self, module: torch.nn.Module, count: int, trained: list[torch.Tensor]) -> None:
        super().__init__()
        self._module, self._count, self._trained = module, count, trained
        self._is_recorded = autograd.is_recording()

    def forward(self, *arrays: Any) -> list[Any]:
        """Call the module on tensors that share the memory of the arrays."""
        self._inputs = [tensor_of(array) for array in arrays[: self._count]]
        for tensor in self._inputs:
            tensor.requires_grad_(self._is_recorded and tensor.is_floating_point())
        with torch.set_grad_enabled(self._is_recorded):
            found = self._module(*self._inputs)
        self._outputs = list(found) if isinstance(found, list | tuple) else [found]
        return [array_of(tensor) for tensor in self._outputs]

    def backward(self, *gradients: Any) -> list[Any]:
        """Return the gradients of inputs and parameters."""
        pairs = [
            (output, tensor_of(gradient).reshape(output.shape))
            for output, gradient in zip(self._outputs, gradients, strict=True)
            if output.requires_grad
        ]
        variables = [*self._inputs, *self._trained]
        wanted = [tensor for tensor in variables if tensor.requires_grad]
        outputs, heads = zip(*pairs, strict=True)
        found = iter(
            torch.autograd.grad(outputs, wanted, heads, retain_graph=True, allow_unused=True)
        )
        return [_array(next(found) if t.requires_grad else None, t) for t in variables]


def _array(gradient: torch.Tensor | None, like: torch.Tensor) -> Any:
    """Return a gradient; zeros where the outputs do not depend on the input."""
    if gradient is None:
        return F.zeros_like(array_of(like))
    return array_of(gradient)
