-- V12 · Valor da cobrança viva = soma das linhas positivas de seus títulos
-- Severidade: alerta
-- Relatório: R11
-- Por que importa: cobra-se do cliente outro valor do que se espera receber.
-- O que fazer: veja em Divergências (M3) o lançamento que mudou depois da cobrança; se difere toda cobrança de um
--   composto, o modo dos compostos está errado: veja V14. Se diferem só figuras de Cobranças, relate-o.

-- Cada cobrança viva ao lado das linhas positivas dos títulos que cobra (S12).
-- Fecham: prova.cobrancas onde viva como 'cobrança ' || cobranca_id: valor = positivas AS ''
SELECT 'total' AS chave, coalesce(sum(valor), 0)::DECIMAL(18,2) AS esperado,
  coalesce(sum(positivas), 0)::DECIMAL(18,2) AS encontrado
FROM prova.cobrancas WHERE viva;

-- As divergências de Cobranças (R11 g): cada cobrança uma vez por tipo, com seu valor, e nenhuma outra.
WITH devidas AS (SELECT unnest(divergencias) AS tipo, cobranca_id, valor FROM prova.cobrancas)
-- Somam: devidas = mart.cobrancas_divergencias por tipo, cobranca_id
--   como 'Divergências · ' || tipo || ' · cobrança ' || cobranca_id: valor, vezes

-- Cobranças (R11) por situação e, sem as canceladas, ao todo (a): quantas e quanto.
WITH situacoes AS (
  SELECT valor, CASE WHEN paga THEN coalesce(valor_pago, 0) ELSE 0 END AS pago,
    CASE WHEN paga THEN coalesce(taxa, 0) ELSE 0 END AS taxas,
    CASE WHEN paga THEN coalesce(liquido, 0) ELSE 0 END AS liquido,
    unnest([status, CASE WHEN viva THEN 'total' END, CASE WHEN viva AND orfa THEN 'sem_lancamento' END]) AS situacao
  FROM prova.cobrancas),
mostradas AS (
  SELECT status_codigo AS situacao, qtde, valor, pago, taxas, liquido FROM mart.cobrancas_por_status
  UNION ALL SELECT codigo, qtde, valor, pago, taxas, liquido FROM mart.cobrancas_por_status_total)
-- Somam: situacoes onde situacao IS NOT NULL = mostradas por situacao como 'Cobranças por situação · ' || situacao:
--   valor AS 'valor', pago, taxas, liquido AS 'líquido', 1 = qtde AS 'qtde'

-- O funil (b): cinco etapas de cada mês em que vence uma cobrança viva, com a conversão de cada uma.
-- Somam: prova.funil onde NOT todos = mart.cobrancas_funil por mes = mes_de_vencimento, etapa
--   como concat_ws(' · ', 'Funil', coalesce(strftime(mes, '%Y-%m'), 'sem mês'), etapa):
--   valor, qtde, conversao = conversao_pct AS 'conversão', vezes

-- O mesmo em colunas, de seis meses e de todos; o valor é o da primeira etapa.
WITH meses AS (
  SELECT 'Funil de seis meses' AS lugar, mes_de_vencimento AS mes, * EXCLUDE (mes_de_vencimento)
  FROM mart.cobrancas_funil_meses
  UNION ALL BY NAME SELECT 'Funil de todos os meses' AS lugar, * FROM mart.cobrancas_funil_meses_total),
mostrados AS (
  SELECT lugar, mes, unnest(range(1, 6)) AS etapa,
    unnest([agendado, pendente, cliente_pagou, transferindo, transferido]) AS qtde,
    unnest([valor, NULL, NULL, NULL, NULL]) AS valor, unnest([NULL, conversao_pendente_pct,
      conversao_cliente_pagou_pct, conversao_transferindo_pct, conversao_transferido_pct]) AS conversao
  FROM meses),
etapas AS (
  SELECT CASE WHEN todos THEN 'Funil de todos os meses' ELSE 'Funil de seis meses' END AS lugar, mes, etapa, qtde,
    CASE WHEN etapa = 1 THEN valor END AS valor, conversao
  FROM prova.funil WHERE todos OR mes IN (SELECT mes FROM meses))
-- Somam: etapas = mostrados por lugar, mes, etapa como concat_ws(' · ', lugar, strftime(mes, '%Y-%m'), etapa):
--   valor, qtde, conversao AS 'conversão'
SELECT lugar || unnest([' · meses', ' · meses distintos']) AS chave, CASE WHEN any_value(mes) IS NULL THEN 1 ELSE 6 END
    AS esperado, unnest([count(*), count(DISTINCT row(mes))]) AS encontrado
FROM (
  SELECT 'Funil de seis meses' AS lugar, mes_de_vencimento AS mes FROM mart.cobrancas_funil_meses
  UNION ALL SELECT 'Funil de todos os meses', NULL FROM mart.cobrancas_funil_meses_total) GROUP BY lugar;

-- O que está em trânsito (e), por dia do repasse.
-- Somam: prova.cobrancas onde viva AND rank IN (3, 4) = mart.cobrancas_em_transito por data_a_transferir
--   como concat_ws(' · ', 'Em trânsito', data_a_transferir): coalesce(liquido, 0) = liquido AS '', 1 = qtde AS 'qtde'

-- As pendentes vencidas (d), por faixa de atraso, cada faixa uma vez.
WITH vencidas AS (
  SELECT CASE WHEN dias <= 30 THEN '1-30' WHEN dias <= 60 THEN '31-60' WHEN dias <= 90 THEN '61-90'
      WHEN dias <= 180 THEN '91-180' ELSE '>180' END AS faixa, 1 AS qtde, valor
  FROM (SELECT p.data_base - c.data_vencimento AS dias, c.valor FROM prova.cobrancas c CROSS JOIN prova.parametros p
    WHERE c.viva AND c.rank = 2 AND c.data_vencimento < p.data_base)
  UNION ALL SELECT unnest(['1-30', '31-60', '61-90', '91-180', '>180']), 0, 0)
-- Somam: vencidas = mart.cobrancas_pendentes_vencidas por faixa como 'Pendentes vencidas · ' || faixa:
--   valor, qtde, vezes

-- Os tempos (c), por forma, que a lista (f) diz: quantas foram pagas e transferidas com dia, e os dias, em média e
-- mediana, meio para cima (S14).
WITH dias AS (
  SELECT d.forma, unnest(['vencimento a pagamento', 'pagamento a transferência']) AS trecho,
    unnest([c.pago_em - c.data_vencimento, c.data_transferido - c.pago_em]) AS dias
  FROM prova.cobrancas c JOIN mart.cobrancas_detalhe d USING (cobranca_id) WHERE c.viva),
esperados AS (
  SELECT forma, trecho, count(dias) AS qtde, median(dias)::DECIMAL(18,1) AS mediana,
    (sign(sum(dias)) * ((20 * abs(sum(dias)) + count(dias)) // (2 * nullif(count(dias), 0))))::DECIMAL(18,0) * 0.1
      AS media
  FROM dias GROUP BY ALL),
mostrados AS (
  SELECT forma, unnest(['vencimento a pagamento', 'pagamento a transferência']) AS trecho,
    unnest([pagas_com_data, transferidas_com_data]) AS qtde,
    unnest([venc_pagto_media, pagto_transf_media]) AS media,
    unnest([venc_pagto_mediana, pagto_transf_mediana]) AS mediana
  FROM mart.cobrancas_tempos)
-- Somam: esperados = mostrados por forma, trecho como 'Tempos · ' || forma || ' · ' || trecho:
--   qtde, media AS 'média', mediana, vezes

-- Os cinco valores de cada cobrança da lista (f), como foram recebidos.
-- Somam: prova.cobrancas = mart.cobrancas_detalhe por cobranca_id como 'Cobranças · cobrança ' || cobranca_id:
--   valor AS 'valor', valor_multa_juros AS 'multa e juros', valor_pago AS 'valor pago', taxa, liquido AS 'líquido',
--   vezes
