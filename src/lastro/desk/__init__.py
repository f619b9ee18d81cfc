"""The collections desk: whom to call, what was typed into the list, and what became of it (manual: Cobrança)."""
