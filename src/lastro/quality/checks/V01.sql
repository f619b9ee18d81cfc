-- V01 · Saldos iniciais + linhas de caixa = saldos na data-base, por conta e no total
-- Severidade: erro
-- Relatório: R01
-- Julga: o que os relatórios mostram
-- Por que importa: o saldo é a primeira figura que se compara com o banco; tudo o mais parte dele.
-- O que fazer: veja a conta que difere: o início do controle (S7) ou uma linha de caixa lida de outro modo; relate-o.

-- Saldos (R01): por conta o saldo inicial mais tudo o que foi pago sob controle; indefinido antes do início (S7).
WITH pagos AS (SELECT conta_id, sum(valor) AS valor FROM prova.linhas WHERE caixa GROUP BY conta_id),
esperados AS (
  SELECT c.conta_id, CASE WHEN c.inicio > p.data_base THEN NULL ELSE c.abertura + coalesce(g.valor, 0) END AS saldo
  FROM prova.contas c CROSS JOIN prova.parametros p LEFT JOIN pagos g ON g.conta_id IS NOT DISTINCT FROM c.conta_id),
mostrados AS (SELECT conta_id, sum(saldo_em_d) AS saldo FROM mart.saldos_por_conta GROUP BY conta_id),
contas AS (SELECT conta_id FROM esperados UNION SELECT conta_id FROM mostrados)
SELECT coalesce('conta ' || c.conta_id, 'sem conta') || ' · Saldos' AS chave, e.saldo::DECIMAL(18,2) AS esperado,
  m.saldo::DECIMAL(18,2) AS encontrado
FROM contas c LEFT JOIN esperados e ON e.conta_id IS NOT DISTINCT FROM c.conta_id
LEFT JOIN mostrados m ON m.conta_id IS NOT DISTINCT FROM c.conta_id
UNION ALL
SELECT unnest(['total · Saldos', 'total']), unnest([e, e]), unnest([m, m]) FROM (
  SELECT coalesce((SELECT sum(saldo) FROM esperados), 0)::DECIMAL(18,2) AS e,
    coalesce((SELECT sum(saldo) FROM mostrados), 0)::DECIMAL(18,2) AS m)
ORDER BY chave;

-- Fluxo por conta (R05): o saldo final realizado do mês da data-base é o mesmo; cada conta tem sua linha uma vez.
WITH pagos AS (SELECT conta_id, sum(valor) AS valor FROM prova.linhas WHERE caixa GROUP BY conta_id),
mostrados AS (
  SELECT f.conta_id, sum(f.saldo_final) AS saldo FROM mart.fluxo_por_conta f JOIN prova.parametros p ON p.mes = f.mes
  WHERE f.momento = 'realizado' GROUP BY f.conta_id)
SELECT coalesce('conta ' || c.conta_id, 'sem conta') || ' · Fluxo por conta' AS chave,
  (CASE WHEN c.inicio > p.data_base THEN NULL ELSE c.abertura + coalesce(g.valor, 0) END)::DECIMAL(18,2) AS esperado,
  m.saldo::DECIMAL(18,2) AS encontrado
FROM prova.contas c CROSS JOIN prova.parametros p
LEFT JOIN pagos g ON g.conta_id IS NOT DISTINCT FROM c.conta_id
LEFT JOIN mostrados m ON m.conta_id IS NOT DISTINCT FROM c.conta_id
ORDER BY c.conta_id
