"""Activation operators, such as sigmoid and relu, and their layer, Activation.

A plugin of opforge; nothing is imported before one of its operators is used.
"""
