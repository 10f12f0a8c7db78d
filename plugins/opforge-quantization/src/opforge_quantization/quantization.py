"""MXNet's `contrib.quantization`: conversion of networks to 8-bit integers.

Names with an underscore are those that programs for MXNet import from this module, and those of
other modules are what they use after ``from mxnet.contrib.quantization import *``.
"""

import logging as logging
import os as os

import numpy as np

from opforge.plugin_api import DataBatch as DataBatch
from opforge.plugin_api import DataDesc as DataDesc
from opforge.plugin_api import DataIter as DataIter
from opforge.plugin_api import F as ndarray
from opforge.plugin_api import context as _context
from opforge.plugin_api import sym as _sym

from . import parameters as _parameters
from .calibration import batches as _batches
from .calibration import collectors as _collectors
from .calibration import thresholds as _thresholds
from .calibration.histograms import combine_histogram as combine_histogram
from .comparing import layer_errors as layer_errors
from .dense import QuantizedDense as QuantizedDense
from .dynamic import quantize_dynamic as quantize_dynamic
from .graph import calibrating as _calibrating
from .graph import rewriting as _rewriting
from .models import calib_graph as calib_graph
from .models import quantize_graph as quantize_graph
from .models import quantize_model as quantize_model
from .models import quantize_model_mkldnn as quantize_model_mkldnn
from .networks import quantize_net as quantize_net
from .networks import quantize_net_v2 as quantize_net_v2
from .recurrent import QuantizedRecurrent as QuantizedRecurrent

Context, cpu = _context.Context, _context.cpu
NDArray, Symbol = ndarray.NDArray, _sym.Symbol

__all__ = [
    "Context",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "NDArray",
    "QuantizedDense",
    "QuantizedRecurrent",
    "Symbol",
    "calib_graph",
    "combine_histogram",
    "cpu",
    "layer_errors",
    "logging",
    "ndarray",
    "np",
    "os",
    "quantize_dynamic",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantize_net",
    "quantize_net_v2",
]

_DataIterWrapper = _batches.DataIterWrapper
_LayerHistogramCollector = _collectors.LayerHistogramCollector
_LayerOutputMinMaxCollector = _collectors.LayerOutputMinMaxCollector
_as_data_iter = _batches.as_data_iter
_calibrate_quantized_sym = _calibrating.calibrate_symbol
_get_optimal_threshold = _thresholds.optimal_threshold
_get_optimal_thresholds = _thresholds.optimal_thresholds
_load_params = _parameters.load_params
_load_sym = _parameters.load_sym
_quantize_params = _parameters.quantize_params
_quantize_symbol = _rewriting.quantize_symbol
_smooth_distribution = _thresholds.smooth_distribution
