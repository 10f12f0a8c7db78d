"""How answers look: tables for people and pipes, JSON, and errors."""
