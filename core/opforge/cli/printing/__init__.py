"""Output of commands: tables for people and pipes, JSON, and errors."""
