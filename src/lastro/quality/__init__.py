"""Control totals (rules V) and data-quality findings (rules Q), as values."""
