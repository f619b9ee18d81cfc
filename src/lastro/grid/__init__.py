"""Values without a home in finance: report, section, table, column, cell, chart; no formatting, no I/O."""
