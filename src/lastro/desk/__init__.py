"""The desks: whom to ask for money, what to pay and when; what was typed, and what became of it (manual: Cobrança)."""
