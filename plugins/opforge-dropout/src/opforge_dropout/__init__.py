"""Dropout operator and layer.

A plugin of opforge; nothing is imported before one of its names is used.
"""
