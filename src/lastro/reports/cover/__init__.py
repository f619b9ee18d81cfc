"""The parts of the cover (R00): its first page and what stands on it, and the sheets *Fazer* and *Indicadores*."""
