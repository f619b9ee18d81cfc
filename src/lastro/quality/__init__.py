"""Control totals (V01 to V21) and data-quality findings (Q01 to Q20), as values."""
