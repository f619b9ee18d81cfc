-- Títulos vencidos há mais de 30 dias (S8) com um posterior já pago. A receber, do mesmo grupo de repetições. A pagar,
-- pergunta-se se foi pago (S26): só quando, da série, um único mês está vencido, não é tributo (R21) e à pessoa não se
-- devem outros vencidos. Sem grupo, a série é o que se paga à pessoa na categoria, e venceu em pelo menos três dos
-- últimos seis meses, o da data-base incluído.
--   descricao: a do título
WITH pagar AS (
  SELECT *, date_trunc('month', data_vencimento) AS mes,
    CASE WHEN grupo_id IS NOT NULL THEN {'grupo': grupo_id, 'pessoa': NULL::BIGINT, 'categoria': NULL::BIGINT}
      WHEN categoria_id IS NOT NULL THEN {'grupo': NULL, 'pessoa': pessoa_id, 'categoria': categoria_id} END AS serie
  FROM prova.titulos WHERE NOT transferencia AND tipo = 'P'),
series AS (
  SELECT c.serie, max(c.data_vencimento) FILTER (c.pago) AS ultimo, count(DISTINCT c.mes) FILTER (c.vencido) AS vencidos,
    count(DISTINCT c.mes) FILTER (c.data_vencimento BETWEEN p.mes - INTERVAL 5 MONTHS AND p.data_base) AS meses
  FROM pagar c CROSS JOIN prova.parametros p WHERE c.serie IS NOT NULL GROUP BY c.serie),
perguntados AS (
  SELECT c.titulo_id
  FROM (SELECT *, count(*) FILTER (vencido) OVER (PARTITION BY pessoa_id) AS devidos FROM pagar) c
  JOIN series s ON s.serie = c.serie
  WHERE c.vencido AND c.dias_de_atraso > 30 AND s.ultimo > c.data_vencimento AND s.vencidos = 1
    AND (c.pessoa_id IS NULL OR c.devidos = 1) AND (c.grupo_id IS NOT NULL OR s.meses >= 3)
    AND c.titulo_id NOT IN (SELECT titulo_id FROM prova.devidos)),
grupos AS (
  SELECT grupo_id, max(data_vencimento) AS ultimo FROM prova.titulos
  WHERE NOT transferencia AND pago AND tipo <> 'Z' AND grupo_id IS NOT NULL GROUP BY grupo_id)
SELECT c.titulo_id, c.conta_id, c.valor, c.pessoa_id, c.data_vencimento, t.descricao
FROM prova.titulos c JOIN core.titulos t ON t.titulo_id = c.titulo_id LEFT JOIN grupos g ON g.grupo_id = c.grupo_id
WHERE (c.tipo = 'R' AND c.vencido AND c.dias_de_atraso > 30 AND g.ultimo > c.data_vencimento)
  OR c.titulo_id IN (SELECT titulo_id FROM perguntados)
