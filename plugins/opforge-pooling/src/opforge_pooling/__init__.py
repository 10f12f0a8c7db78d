"""Pooling operators and layers: max, average, sum and p-norm pooling.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""
