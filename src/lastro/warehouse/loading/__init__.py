"""From landed pages to checked tables: loading, history, and what the runs noticed."""
