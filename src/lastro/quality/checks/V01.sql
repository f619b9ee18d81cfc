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
ORDER BY c.conta_id;

-- Os totais de Saldos somam as contas: o de todas e, onde há cartões, o das outras (disponivel) e o deles.
WITH contas AS (
  SELECT s.*, CASE WHEN c.cartao THEN 'cartoes' ELSE 'disponivel' END AS bloco
  FROM mart.saldos_por_conta s JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM s.conta_id),
blocos AS (
  SELECT 'total' AS codigo UNION ALL
  SELECT unnest(['disponivel', 'cartoes']) FROM contas HAVING bool_or(bloco = 'cartoes')),
somados AS (
  SELECT b.codigo, count(*) AS linhas, [sum(valor_saldo_inicial), sum(saldo_em_d_1), sum(entradas_do_dia),
    sum(saidas_do_dia), sum(nao_operacional_do_dia), sum(transferencias_do_dia), sum(saldo_em_d),
    sum(a_realizar_7_dias), sum(saldo_em_d_7), sum(a_realizar_30_dias), sum(saldo_em_d_30)] AS somas,
    sum(saldo_conferido) AS conferido, sum(diferenca) AS diferenca
  FROM blocos b LEFT JOIN contas c ON b.codigo IN ('total', c.bloco) GROUP BY b.codigo),
mostrados AS (SELECT *, count(*) OVER (PARTITION BY codigo) AS vezes FROM mart.saldos_por_conta_total)
SELECT 'Saldos · ' || codigo || ' · ' || unnest(['valor_saldo_inicial', 'saldo_em_d_1', 'entradas_do_dia',
    'saidas_do_dia', 'nao_operacional_do_dia', 'transferencias_do_dia', 'saldo_em_d', 'a_realizar_7_dias',
    'saldo_em_d_7', 'a_realizar_30_dias', 'saldo_em_d_30', 'saldo_conferido', 'diferenca', 'vezes']) AS chave,
  unnest(list_transform(s.somas, lambda x: coalesce(x, 0)) || [s.conferido, s.diferenca, 1])::DECIMAL(18,2) AS esperado,
  unnest([m.valor_saldo_inicial, m.saldo_em_d_1, m.entradas_do_dia, m.saidas_do_dia, m.nao_operacional_do_dia,
    m.transferencias_do_dia, m.saldo_em_d, m.a_realizar_7_dias, m.saldo_em_d_7, m.a_realizar_30_dias, m.saldo_em_d_30,
    m.saldo_conferido, m.diferenca, coalesce(m.vezes, 0)])::DECIMAL(18,2) AS encontrado
FROM somados s FULL JOIN mostrados m USING (codigo);

-- O menor saldo projetado e seu primeiro dia (R01), de cada conta e de cada total, são os dos dias do Fluxo diário.
WITH dias AS (
  SELECT 'total' AS chave, dia, saldo_final AS saldo FROM mart.fluxo_diario
  UNION ALL
  SELECT coalesce('conta ' || f.conta_id, 'sem conta'), dia, saldo_final
  FROM mart.fluxo_diario_contas f CROSS JOIN prova.parametros p
  JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM f.conta_id AND NOT coalesce(c.inicio > p.data_base, false)
  UNION ALL
  SELECT CASE WHEN c.cartao THEN 'cartoes' ELSE 'disponivel' END, dia, coalesce(sum(saldo_final), 0)
  FROM mart.fluxo_diario_contas f JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM f.conta_id GROUP BY ALL),
menores AS (
  SELECT chave, min(saldo) AS saldo, arg_min(dia, (saldo, dia)) AS quando FROM dias CROSS JOIN prova.parametros
  WHERE dia >= data_base AND saldo IS NOT NULL GROUP BY chave),
mostrados AS (
  SELECT coalesce('conta ' || conta_id, 'sem conta') AS chave, menor_saldo_projetado AS saldo,
    data_do_menor_saldo AS dia
  FROM mart.saldos_por_conta
  UNION ALL SELECT codigo, menor_saldo_projetado, data_do_menor_saldo FROM mart.saldos_por_conta_total)
SELECT chave || unnest([' · menor saldo projetado', ' · data do menor saldo']) AS chave,
  unnest([e.saldo::DECIMAL(18,2)::VARCHAR, quando::VARCHAR]) AS esperado,
  unnest([m.saldo::VARCHAR, m.dia::VARCHAR]) AS encontrado
FROM mostrados m LEFT JOIN menores e USING (chave)
