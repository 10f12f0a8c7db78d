"""Output operators: three kinds of regression, and MakeLoss for custom losses.

A plugin of opforge; nothing is imported before one of its operators is used.
"""
