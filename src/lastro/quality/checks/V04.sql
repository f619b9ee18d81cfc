-- V04 · As quatro classes partem as linhas de caixa, e os relatórios somam as mesmas linhas
-- Severidade: erro
-- Relatório: R04
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
-- Somam: prova.dias >= mart.fluxo_diario por dia como 'dia ' || dia:
--   saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas, saidas_previstas, nao_operacional,
--   transferencias
-- Somam: prova.dias >= mart.fluxo_semanal por inicio como 'semana ' || inicio:
--   saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas, saidas_previstas, nao_operacional,
--   transferencias
WITH periodos AS (
  SELECT 'dia ' || dia AS periodo, dia AS de, saldo_inicial FROM mart.fluxo_diario
  UNION ALL SELECT 'semana ' || inicio, inicio, saldo_inicial FROM mart.fluxo_semanal)
SELECT periodo || ' · saldo_inicial' AS chave, coalesce(d.saldo, 0) AS esperado, saldo_inicial AS encontrado
FROM periodos p ASOF LEFT JOIN prova.dias d ON d.dia < p.de ORDER BY chave;

-- Fluxo mensal (R04): cada linha de cada mês e momento, todas as contas.
WITH somados AS (
  SELECT mes, momento, CASE WHEN starts_with(linha, 'transf') THEN 'transferencias' ELSE linha END AS linha, valor
  FROM prova.fluxo WHERE (mes, momento) IN (SELECT (mes, momento) FROM mart.fluxo_mensal)),
mostrados AS (
  SELECT * FROM mart.fluxo_mensal WHERE nivel = 0
    AND linha IN ('saldos_implantados', 'entradas', 'saidas', 'nao_operacional', 'transferencias'))
-- Somam: somados = mostrados por mes, momento, linha
--   como strftime(mes, 'Fluxo mensal · %Y-%m ') || momento || ' · ' || linha: valor

-- Fluxo por conta (R05): o mesmo por conta; nenhuma conta falta.
WITH somados AS (FROM prova.fluxo WHERE (mes, momento) IN (SELECT (mes, momento) FROM mart.fluxo_por_conta)),
mostrados AS (UNPIVOT mart.fluxo_por_conta ON saldos_implantados, entradas, saidas, nao_operacional, transf_recebidas,
  transf_enviadas INTO NAME linha VALUE valor)
-- Somam: somados = mostrados por conta_id, mes, momento, linha
--   como coalesce('conta ' || conta_id, 'sem conta') || strftime(mes, ' · %Y-%m ') || momento || ' · ' || linha: valor
-- Uma vez: mart.fluxo_por_conta por conta_id em mes, momento como 'Fluxo por conta · linhas'

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
      ELSE (SELECT coalesce(sum(valor), 0) FROM prova.planejados CROSS JOIN prova.parametros
        WHERE vencimento < data_base + horizonte_dias) END AS valor
  FROM finais CROSS JOIN vencidos CROSS JOIN (SELECT unnest(['vencidos_a_receber', 'vencidos_a_pagar',
    'saldo_com_vencidos', 'recorrencias_nao_geradas']) AS codigo)
  WHERE fluxo <> 'fluxo_mensal' OR starts_with(codigo, 'vencidos')
  UNION ALL
  SELECT 'fluxo_mensal', 'anteriores_ao_controle', mes, coalesce(l.valor, 0)
  FROM meses LEFT JOIN prova.linhas l ON l.pago AND NOT l.caixa AND date_trunc('month', l.data_pagamento) = mes
  WHERE realizado
  UNION ALL
  SELECT 'fluxo_mensal', 'recorrencias_nao_geradas', mes, coalesce(p.valor, 0)
  FROM meses LEFT JOIN prova.planejados p ON date_trunc('month', p.vencimento) = mes WHERE NOT realizado),
mostradas AS (
  SELECT 'fluxo_diario' AS fluxo, codigo, NULL::DATE AS mes, valor FROM mart.fluxo_diario_memo
  UNION ALL SELECT 'fluxo_semanal', codigo, NULL, valor FROM mart.fluxo_semanal_memo
  UNION ALL SELECT 'fluxo_mensal', codigo, mes, valor FROM mart.fluxo_mensal_memo
  WHERE codigo <> 'esperado_nao_lancado')
-- Somam: esperadas = mostradas por fluxo, codigo, mes
--   como concat_ws(' · ', fluxo || ' memo', codigo, strftime(mes, '%Y-%m')): valor, vezes
