"""The parts of the cover (R00): its first page and the blocks on it, and the sheets *Fazer* and *Indicadores*."""
