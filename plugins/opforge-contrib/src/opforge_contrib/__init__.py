"""Operators of MXNet that only some programs need.

A plugin of opforge; nothing is imported before one of its names is used.
"""
