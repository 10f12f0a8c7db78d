"""Control flow in graphs: operators whose bodies are graphs themselves."""
