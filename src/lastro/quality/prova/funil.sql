-- O funil das cobranças vivas (R11 b), por mês de vencimento e de todos os meses: cinco etapas, cada uma de todas as
-- cobranças que chegaram a ela ou passaram dela.
--   todos: de todos os meses; o mês é nulo
--   mes: primeiro dia do mês de vencimento
--   etapa: 1 Agendado a 5 Transferido
--   qtde: quantas chegaram
--   antes: quantas chegaram à etapa anterior
--   conversao: por cento das que chegaram à etapa anterior, meio para cima (S14)
WITH vivas AS (
  SELECT date_trunc('month', data_vencimento)::DATE AS mes, rank, count(*) AS qtde, sum(valor) AS valor
  FROM prova.cobrancas WHERE viva GROUP BY ALL),
etapas AS (
  SELECT todos, CASE WHEN NOT todos THEN mes END AS mes, etapa,
    coalesce(sum(qtde) FILTER (rank >= etapa), 0)::BIGINT AS qtde,
    coalesce(sum(valor) FILTER (rank >= etapa), 0)::DECIMAL(18,2) AS valor
  FROM vivas CROSS JOIN (SELECT unnest([false, true]) AS todos) CROSS JOIN (SELECT unnest(range(1, 6)) AS etapa)
  GROUP BY ALL)
SELECT *, ((20000 * qtde + antes) // (2 * nullif(antes, 0)))::DECIMAL(18,0) * 0.01 AS conversao
FROM (SELECT *, lag(qtde) OVER (PARTITION BY todos, mes ORDER BY etapa) AS antes FROM etapas)
