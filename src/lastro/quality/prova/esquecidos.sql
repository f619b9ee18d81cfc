-- Títulos vencidos há mais de 30 dias (S8) com um posterior já pago: do mesmo grupo de repetições; sem grupo, a pagar
-- à mesma pessoa na mesma categoria, que venceu em pelo menos três dos últimos seis meses, o da data-base incluído.
--   valor: com sinal
--   descricao: a do título
WITH atrasados AS (FROM prova.titulos WHERE vencido AND dias > 30),
do_grupo AS (
  SELECT grupo_id, max(data_vencimento) AS ultimo FROM prova.titulos SEMI JOIN atrasados USING (grupo_id)
  WHERE NOT transferencia AND pago AND tipo <> 'Z' GROUP BY grupo_id),
habituais AS (
  SELECT c.pessoa_id, c.categoria_id, max(c.data_vencimento) FILTER (c.pago) AS ultimo
  FROM prova.titulos c CROSS JOIN prova.parametros p
  SEMI JOIN atrasados a ON a.categoria_id = c.categoria_id AND a.pessoa_id IS NOT DISTINCT FROM c.pessoa_id
  WHERE NOT c.transferencia AND c.tipo = 'P' AND c.grupo_id IS NULL GROUP BY c.pessoa_id, c.categoria_id
  HAVING count(DISTINCT date_trunc('month', c.data_vencimento))
    FILTER (c.data_vencimento BETWEEN p.mes - INTERVAL 5 MONTHS AND p.data_base) >= 3)
SELECT c.titulo_id, c.conta_id, c.valor, c.pessoa_id, c.data_vencimento, t.descricao
FROM atrasados c JOIN core.titulos t ON t.titulo_id = c.titulo_id
LEFT JOIN do_grupo g ON g.grupo_id = c.grupo_id
LEFT JOIN habituais h ON h.categoria_id = c.categoria_id AND h.pessoa_id IS NOT DISTINCT FROM c.pessoa_id
  AND c.grupo_id IS NULL AND c.tipo = 'P'
WHERE coalesce(g.ultimo, h.ultimo) > c.data_vencimento
