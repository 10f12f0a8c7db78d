"""Who provides what: names, kinds of things, tables of them, and how a name is settled."""
