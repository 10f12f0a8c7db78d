"""Convolution operators, implemented in C, and layers.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""
