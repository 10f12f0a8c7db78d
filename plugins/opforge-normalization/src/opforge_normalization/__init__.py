"""Normalization operators and layers: LayerNorm, BatchNorm, InstanceNorm, min-max, centering.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""
