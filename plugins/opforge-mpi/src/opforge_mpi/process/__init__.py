"""The operating system's side of a rank: its exit, its messages, its threads and stale files.

Imports no other package of the plugin.
"""
