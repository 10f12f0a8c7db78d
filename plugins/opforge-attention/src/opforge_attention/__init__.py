"""Attention: fused, as a multi-head layer, and as the matrix products of MXNet's contrib operators.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""
