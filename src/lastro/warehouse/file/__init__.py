"""The private file: opening it, its tables and macros, what may go wrong."""
