"""Variants of the rectified linear unit: the operator LeakyReLU and its layers.

A plugin of opforge; nothing is imported before one of its names is used.
"""
