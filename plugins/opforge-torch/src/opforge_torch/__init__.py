"""`opforge.torch`: networks and weights in PyTorch and from PyTorch.

A plugin of opforge; PyTorch is imported by the first call that needs it.
"""
