"""Dense operator and layer.

A plugin of opforge; nothing is imported before its operator or layer is used.
"""
