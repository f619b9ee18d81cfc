-- Cada dia, e o primeiro em que os bancos pagam o que nele vence (S3).
--   proximo_dia_util: o próprio dia, se é útil
SELECT dia, proximo_dia_util FROM core.calendario
