"""Optimizers that only some programs need, and update operators for loops that call them.

A plugin of opforge; nothing is imported before one of its names is used.
"""
