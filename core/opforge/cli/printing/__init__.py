"""Output of commands: tables, JSON and errors."""
