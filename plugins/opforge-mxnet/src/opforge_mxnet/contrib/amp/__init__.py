"""Mixed precision, as programs for MXNet switch it on: here it scales losses and casts nothing.

On the devices that opforge has, no operator gains from float16: `init` leaves all of them in the
types that the program gives them. MXNet's own mode fails there, since its float16 kernels are a
GPU's. What protects gradients of float16 from vanishing, in networks that the program itself casts,
is whole: losses are scaled, steps whose gradients overflow are skipped, and the scale follows.

A trained model is converted all the same, for devices that gain and to halve what its parameters
take: `convert_symbol`, `convert_model` and `convert_hybrid_block` put the conversions of MXNet's
lists into its graph, which computes here too.

Examples
--------
>>> from opforge import autograd, gluon, nd
>>> from opforge.contrib import amp
>>> amp.init()
>>> w = gluon.Parameter("w", shape=(1,), init="ones")
>>> w.initialize()
>>> trainer = gluon.Trainer([w], "sgd", {"learning_rate": 0.5})
>>> amp.init_trainer(trainer)
>>> with autograd.record():
...     loss = w.data() * 2
...     with amp.scale_loss(loss, trainer) as scaled:
...         autograd.backward(scaled)
>>> trainer.step(batch_size=1)
>>> w.data().asscalar().item()
0.0
"""

from . import amp as amp
from . import lists as lists
from .amp import init as init
from .amp import init_trainer as init_trainer
from .amp import scale_loss as scale_loss
from .amp import unscale as unscale
from .converting import convert_symbol as convert_symbol
from .listing import list_conditional_fp32_ops as list_conditional_fp32_ops
from .listing import list_fp32_ops as list_fp32_ops
from .listing import list_loss_output_functions as list_loss_output_functions
from .listing import list_lp16_fp32_ops as list_lp16_fp32_ops
from .listing import list_lp16_ops as list_lp16_ops
from .listing import list_lp16_use_fp32_params as list_lp16_use_fp32_params
from .listing import list_widest_type_cast as list_widest_type_cast
from .loss_scaler import LossScaler as LossScaler
from .models import convert_hybrid_block as convert_hybrid_block
from .models import convert_model as convert_model

__all__ = [
    "LossScaler",
    "amp",
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
    "lists",
    "scale_loss",
    "unscale",
]
