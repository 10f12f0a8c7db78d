"""Moving bytes between ranks: point-to-point messages, shared memory, and waiting for both.

Imports the top-level module `library`, but no other package of the plugin.
"""
