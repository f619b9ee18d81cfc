-- V04 · As quatro classes partem as linhas de caixa, e os relatórios somam as mesmas linhas
-- Severidade: erro
-- Relatório: R04
-- Julga: o que os relatórios mostram
-- Por que importa: entradas, saídas, não operacional e transferências querem dizer o mesmo em toda planilha, ou
--   nada se compara.
-- O que fazer: veja em S5 a categoria e a transferência da linha que difere; um dre_mapa errado não a causa.

-- As quatro classes de Lançamentos, que V42 prova linha por linha, somam o caixa das linhas, e todas as linhas todas.
SELECT 'total' AS chave, (SELECT coalesce(sum(valor), 0) FROM prova.linhas WHERE caixa)::DECIMAL(18,2) AS esperado,
  coalesce(sum(valor) FILTER (data_caixa IS NOT NULL
    AND classe IN ('Entradas', 'Saídas', 'Não operacional', 'Transferências')), 0)::DECIMAL(18,2) AS encontrado
FROM mart.lancamentos
UNION ALL SELECT 'Lançamentos · valor', (SELECT coalesce(sum(valor), 0) FROM prova.linhas)::DECIMAL(18,2),
  coalesce(sum(valor), 0)::DECIMAL(18,2) FROM mart.lancamentos;

-- Fluxo diário (R02) e semanal (R03): cada coluna de cada período, e o saldo da véspera.
WITH mostrados AS (
  SELECT 'dia ' || dia AS periodo, dia AS de, dia AS ate, * EXCLUDE (dia) FROM (SELECT dia, saldo_inicial,
    saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas, saidas_previstas, nao_operacional,
    transferencias FROM mart.fluxo_diario)
  UNION ALL
  SELECT 'semana ' || inicio, inicio, inicio + 6, * EXCLUDE (inicio) FROM (SELECT inicio, saldo_inicial,
    saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas, saidas_previstas, nao_operacional,
    transferencias FROM mart.fluxo_semanal)),
dias AS (SELECT dia, linha, previsto, sum(valor) AS valor FROM prova.movimentos GROUP BY ALL),
saldos AS (SELECT dia, sum(sum(valor)) OVER (ORDER BY dia) AS saldo FROM dias GROUP BY dia),
somados AS (
  SELECT m.de, m.ate,
    sum(d.valor) FILTER (d.linha = 'implantados') AS b,
    sum(d.valor) FILTER (d.linha = 'Entradas' AND NOT d.previsto) AS c,
    sum(d.valor) FILTER (d.linha = 'Saídas' AND NOT d.previsto) AS d,
    sum(d.valor) FILTER (d.linha = 'Entradas' AND d.previsto) AS e,
    sum(d.valor) FILTER (d.linha = 'Saídas' AND d.previsto) AS f,
    sum(d.valor) FILTER (d.linha = 'Não operacional') AS g,
    sum(d.valor) FILTER (d.linha IN ('recebidas', 'enviadas')) AS h
  FROM (SELECT DISTINCT de, ate FROM mostrados) m LEFT JOIN dias d ON d.dia BETWEEN m.de AND m.ate
  GROUP BY ALL)
SELECT m.periodo || ' · ' || unnest(['saldo_inicial', 'saldos_implantados', 'entradas_realizadas', 'saidas_realizadas',
    'entradas_previstas', 'saidas_previstas', 'nao_operacional', 'transferencias']) AS chave,
  coalesce(unnest([(SELECT coalesce(sum(abertura), 0) FROM prova.contas WHERE inicio IS NULL) + coalesce(v.saldo, 0),
    b, c, d, e, f, g, h]), 0)::DECIMAL(18,2) AS esperado,
  unnest([m.saldo_inicial, m.saldos_implantados, m.entradas_realizadas, m.saidas_realizadas, m.entradas_previstas,
    m.saidas_previstas, m.nao_operacional, m.transferencias])::DECIMAL(18,2) AS encontrado
FROM mostrados m JOIN somados s ON s.de = m.de AND s.ate = m.ate ASOF LEFT JOIN saldos v ON v.dia < m.de
ORDER BY m.ate - m.de, m.de;

-- Fluxo mensal (R04): cada linha de cada mês e momento, todas as contas.
WITH mostrados AS (SELECT mes, momento, linha, sum(valor) AS valor FROM mart.fluxo_mensal WHERE nivel = 0 GROUP BY ALL),
somados AS (
  SELECT mes, momento, sum(valor) AS valor, CASE linha WHEN 'implantados' THEN 'saldos_implantados'
      WHEN 'Entradas' THEN 'entradas' WHEN 'Saídas' THEN 'saidas' WHEN 'Não operacional' THEN 'nao_operacional'
      ELSE 'transferencias' END AS parte
  FROM prova.fluxo GROUP BY ALL)
SELECT strftime(c.mes, 'Fluxo mensal · %Y-%m ') || c.momento || ' · ' || l.parte AS chave,
  coalesce(s.valor, 0)::DECIMAL(18,2) AS esperado, m.valor::DECIMAL(18,2) AS encontrado
FROM (SELECT DISTINCT mes, momento FROM mostrados) c
CROSS JOIN (SELECT unnest(['saldos_implantados', 'entradas', 'saidas', 'nao_operacional', 'transferencias']) AS parte) l
LEFT JOIN somados s ON s.mes = c.mes AND s.momento = c.momento AND s.parte = l.parte
LEFT JOIN mostrados m ON m.mes = c.mes AND m.momento = c.momento AND m.linha = l.parte
ORDER BY c.mes, c.momento;

-- Fluxo por conta (R05): o mesmo por conta; nenhuma conta falta.
WITH somados AS (
  PIVOT prova.fluxo
  ON linha IN ('implantados', 'Entradas', 'Saídas', 'Não operacional', 'recebidas', 'enviadas') USING sum(valor)
  GROUP BY conta_id, mes, momento)
SELECT coalesce('conta ' || m.conta_id, 'sem conta') || strftime(m.mes, ' · %Y-%m ') || m.momento || ' · ' || unnest([
    'saldos_implantados', 'entradas', 'saidas', 'nao_operacional', 'transf_recebidas', 'transf_enviadas']) AS chave,
  coalesce(unnest([s.implantados, s.Entradas, s."Saídas", s."Não operacional", s.recebidas,
    s.enviadas]), 0)::DECIMAL(18,2) AS esperado,
  unnest([m.saldos_implantados, m.entradas, m.saidas, m.nao_operacional, m.transf_recebidas,
    m.transf_enviadas])::DECIMAL(18,2) AS encontrado
FROM mart.fluxo_por_conta m
LEFT JOIN somados s ON s.conta_id IS NOT DISTINCT FROM m.conta_id AND s.mes = m.mes AND s.momento = m.momento
ORDER BY m.conta_id, m.mes;
SELECT 'Fluxo por conta · ' || coalesce('conta ' || c.conta_id, 'sem conta') AS chave,
  (SELECT count(DISTINCT (mes, momento)) FROM mart.fluxo_por_conta) AS esperado, count(m.mes) AS encontrado
FROM prova.contas c LEFT JOIN mart.fluxo_por_conta m ON m.conta_id IS NOT DISTINCT FROM c.conta_id
GROUP BY c.conta_id ORDER BY c.conta_id;

-- As linhas de memória: vencidos que a projeção não tem (S4), o saldo com eles, o que foi pago antes do controle (S7)
-- e o que as séries sem fim ainda não geraram (S10).
WITH vencidos AS (
  SELECT coalesce(sum(valor) FILTER (valor > 0), 0) AS receber, coalesce(sum(valor) FILTER (valor < 0), 0) AS pagar
  FROM prova.titulos WHERE vencido AND data_projetada IS NULL),
finais AS (
  SELECT 'fluxo_diario' AS fluxo, arg_max(saldo_final, dia) AS saldo FROM mart.fluxo_diario
  UNION ALL SELECT 'fluxo_semanal', arg_max(saldo_final, fim) FROM mart.fluxo_semanal
  UNION ALL SELECT 'fluxo_mensal', NULL),
meses AS (SELECT DISTINCT mes, momento = 'realizado' AS realizado FROM mart.fluxo_mensal),
esperadas AS (
  SELECT fluxo, codigo, NULL::DATE AS mes, CASE codigo WHEN 'vencidos_a_receber' THEN receber
      WHEN 'vencidos_a_pagar' THEN pagar WHEN 'saldo_com_vencidos' THEN saldo + receber + pagar
      ELSE (SELECT sum(valor) FROM prova.planejados CROSS JOIN prova.parametros
        WHERE vencimento < data_base + horizonte_dias) END AS valor
  FROM finais CROSS JOIN vencidos CROSS JOIN (SELECT unnest(['vencidos_a_receber', 'vencidos_a_pagar',
    'saldo_com_vencidos', 'recorrencias_nao_geradas']) AS codigo)
  WHERE fluxo <> 'fluxo_mensal' OR starts_with(codigo, 'vencidos')
  UNION ALL
  SELECT 'fluxo_mensal', 'anteriores_ao_controle', mes, sum(l.valor)
  FROM meses LEFT JOIN prova.linhas l ON l.pago AND NOT l.caixa AND date_trunc('month', l.data_pagamento) = mes
  WHERE realizado GROUP BY mes
  UNION ALL
  SELECT 'fluxo_mensal', 'recorrencias_nao_geradas', mes, sum(p.valor)
  FROM meses LEFT JOIN prova.planejados p ON date_trunc('month', p.vencimento) = mes WHERE NOT realizado GROUP BY mes),
mostradas AS (
  SELECT fluxo, codigo, mes, sum(valor) AS valor, count(*) AS vezes FROM (
    SELECT 'fluxo_diario' AS fluxo, codigo, NULL::DATE AS mes, valor FROM mart.fluxo_diario_memo
    UNION ALL SELECT 'fluxo_semanal', codigo, NULL, valor FROM mart.fluxo_semanal_memo
    UNION ALL SELECT 'fluxo_mensal', codigo, mes, valor FROM mart.fluxo_mensal_memo
      WHERE codigo <> 'esperado_nao_lancado')
  GROUP BY ALL)
SELECT concat_ws(' · ', coalesce(e.fluxo, m.fluxo) || ' memo', coalesce(e.codigo, m.codigo),
    strftime(coalesce(e.mes, m.mes), '%Y-%m'), unnest([NULL, 'vezes'])) AS chave,
  unnest([coalesce(e.valor, 0), 1])::DECIMAL(18,2) AS esperado, unnest([m.valor, m.vezes])::DECIMAL(18,2) AS encontrado
FROM esperadas e
FULL JOIN mostradas m ON m.fluxo = e.fluxo AND m.codigo = e.codigo AND m.mes IS NOT DISTINCT FROM e.mes
