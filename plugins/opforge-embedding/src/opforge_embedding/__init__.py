"""Embedding operators and layers.

A plugin of opforge; nothing is imported before one of its operators or layers is used.
"""
