"""`opforge.torch`: Gluon blocks in PyTorch, PyTorch's modules in Gluon, and exchange of weights."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from opforge.plugin_api import Block

from .errors import TorchError
from .weights import load_weights
from .zoo import get_model

if TYPE_CHECKING:
    import torch

__all__ = ["TorchError", "as_block", "as_module", "get_model", "load_weights", "state_dict"]


def as_module(block: Block) -> "torch.nn.Module":
    """Return a block as a module of PyTorch, which shares its parameters.

    A step of one of PyTorch's optimizers changes the block, and so does one of a `Trainer` the
    module. Gradients flow through the module to its inputs and into ``parameter.grad``.

    Parameters
    ----------
    block : Block
        With parameters of known shapes. Parameters keep their structural names, such as
        ``features.0.weight``; states such as running means become buffers.

    Returns
    -------
    torch.nn.Module

    Raises
    ------
    TorchError
        PyTorch is not installed, or the shape of a parameter is unknown.

    Examples
    --------
    A training loop of PyTorch trains the block::

        module = mx.torch.as_module(net)
        optimizer = torch.optim.Adam(module.parameters())
        torch.nn.functional.cross_entropy(module(x), labels).backward()
        optimizer.step()
    """
    _require_torch("as_module")
    from .modules import BlockModule

    return BlockModule(block)


def as_block(module: "torch.nn.Module", prefix: str | None = None) -> Block:
    """Return a module of PyTorch as a block, which shares its parameters.

    The module may be a part of a network and be trained by a `Trainer`. It is not hybridized.

    Parameters
    ----------
    module : torch.nn.Module
        On the CPU. Parameters keep their names; buffers are parameters without a gradient.
    prefix : str, optional
        Of the full names of parameters.

    Raises
    ------
    TorchError
        PyTorch is not installed, or a parameter is not on the CPU.

    Examples
    --------
    A part of a network in Gluon::

        net = gluon.nn.Sequential()
        net.add(mx.torch.as_block(torch.nn.Linear(3, 2)), gluon.nn.Dense(1))
    """
    _require_torch("as_block")
    from .blocks import ModuleBlock

    return ModuleBlock(module, prefix=prefix)


def state_dict(net: Block) -> Mapping[str, "torch.Tensor"]:
    """Return the weights of a network of the zoo by torchvision's names.

    Parameters
    ----------
    net : Block
        A network of `get_model`, or one of the zoo that computes as torchvision's does.

    Returns
    -------
    dict of str to torch.Tensor
        Copies, for ``load_state_dict`` of torchvision's model.

    Raises
    ------
    TorchError
        PyTorch is not installed, or torchvision has no such network.
    """
    torch = _require_torch("state_dict")
    from .weights import torchvision_arrays

    return {name: torch.as_tensor(array) for name, array in torchvision_arrays(net).items()}


def _require_torch(name: str) -> Any:
    try:
        import torch
    except ImportError as error:
        raise TorchError(
            f"opforge.torch.{name}() needs PyTorch: pip install 'torch>=2.4' ({error})"
        ) from error
    return torch
