"""The only duckdb: the private file of the writer, loading, history, macros and the published copy."""
