-- V26 · Cada linha do banco e cada baixa está em um lugar só
-- Severidade: erro
-- Relatório: R20
-- Sem comparações: nenhuma conta com extrato
-- Por que importa: uma linha contada duas vezes, ou nenhuma, esconde dinheiro que falta ou sobra.
-- O que fazer: é defeito de cálculo; relate-o com a linha ou o título.

-- Cada linha do período (S20): casada, ignorada ou pendente, uma vez e com o seu valor.
WITH lugares AS (
  SELECT DISTINCT extrato_id, 'casada' AS lugar, valor_no_banco AS valor FROM mart.conciliadas
  UNION ALL SELECT extrato_id, 'pendente', valor FROM mart.conciliacao_pendencias WHERE lado = 'Banco'),
linhas AS (
  SELECT l.* FROM prova.banco_linhas l JOIN prova.banco_blocos b
    ON b.conta_id = l.conta_id AND b.ultimo AND l.conta_em BETWEEN b.inicio AND b.fim
  WHERE l.valor <> 0),
somadas AS (SELECT extrato_id, count(*) AS vezes, sum(valor)::DECIMAL(18,2) AS valor FROM lugares GROUP BY extrato_id)
SELECT 'linha ' || coalesce(l.extrato_id, s.extrato_id) AS chave,
  CASE WHEN l.extrato_id IS NOT NULL THEN l.valor END AS esperado,
  CASE WHEN s.vezes = 1 THEN s.valor WHEN s.vezes > 1 THEN s.vezes * s.valor END::DECIMAL(18,2) AS encontrado
FROM linhas l FULL JOIN somadas s ON s.extrato_id = l.extrato_id
ORDER BY 1;

-- Cada baixa: a do período, casada ou pendente; a dos 5 dias de cada lado, casada ou em lugar nenhum; uma à mão, de
-- qualquer dia. Sempre uma vez e com o seu valor.
WITH lugares AS (
  SELECT titulo_id, conta_id, valor FROM mart.conciliadas WHERE titulo_id IS NOT NULL
  UNION ALL SELECT titulo_id, conta_id, valor FROM mart.conciliacao_pendencias WHERE lado = 'Livro'),
somadas AS (
  SELECT titulo_id, conta_id, count(*) AS vezes, sum(valor)::DECIMAL(18,2) AS valor FROM lugares GROUP BY ALL),
baixas AS (
  SELECT t.titulo_id, t.conta_id, t.valor, t.data_pagamento BETWEEN b.inicio AND b.fim AS dentro
  FROM prova.titulos t JOIN prova.banco_blocos b ON b.conta_id = t.conta_id AND b.ultimo
  WHERE t.caixa AND t.valor <> 0)
SELECT 'título ' || coalesce(t.titulo_id, s.titulo_id) AS chave, t.valor AS esperado, s.valor AS encontrado
FROM baixas t FULL JOIN somadas s ON s.titulo_id = t.titulo_id AND s.conta_id = t.conta_id AND s.vezes = 1
WHERE coalesce(t.dentro, true) OR s.titulo_id IS NOT NULL
ORDER BY 1
