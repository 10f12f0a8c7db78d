"""Tile and repeat operators.

A plugin of opforge; nothing is imported before one of its operators is used.
"""
