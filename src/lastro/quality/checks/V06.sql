-- V06 · Posição em aberto: resumo = detalhe = títulos em aberto; a vencer + hoje + vencido = total
-- Severidade: erro
-- Relatório: R09
-- Julga: o que os relatórios mostram
-- Por que importa: o que se tem a receber e a pagar é o mesmo por título, faixa, pessoa e mês; se não, alguém cobra ou
--   paga o que não deve.
-- O que fazer: veja a figura que difere; o detalhe de Pagar ou Receber diz os títulos. Os dados sozinhos não o causam.

-- Cada título em aberto, campo por campo, como Pagar e Receber (R08, R09) o mostram e como se deriva dos registros: o
-- valor e suas partes (S1), dia efetivo (S3), dias, faixa, situação, multa e juros (S8), cobrança (S9).
WITH mostrados AS (
  SELECT 'Pagar' AS lado, * FROM mart.a_pagar UNION ALL BY NAME SELECT 'Receber' AS lado, * FROM mart.a_receber)
-- Iguais: prova.abertos = mostrados por lado, titulo_id como lado || ' · título ' || titulo_id:
--   valor, bruto, deducoes, multa_est, juros_est, valor_atualizado, dias_de_atraso, faixa, situacao, data_vencimento,
--   data_efetiva, parcela, descricao, documento, pagamento_automatico, pessoa_id, conta_id, categoria_id,
--   centro_custo_lucro_id, forma_pagamento_id, grupo_id, cobranca_id, cobranca
;

-- Cada título, aberto ou pago, é a soma de suas linhas (S1) e, na data-base, o que os relatórios tomam dele (posicao):
-- pago ou não (S3, S7), dias, faixa e situação (S8), o dia na projeção (S4), cobrança (S9), mora e estimativas (S8).
-- Iguais: prova.titulos = posicao.titulos por titulo_id como 'Posição · título ' || titulo_id:
--   valor, qtde_linhas, data_vencimento, data_pagamento, transferencia, fora_resultado, pago, data_prevista,
--   data_efetiva, data_ref, dias_de_atraso, vencido, vence_hoje, em_carencia, faixa, situacao, data_projetada,
--   data_competencia_ef, cobranca_id, cobranca_paga, dias_mora, multa, juros, caixa
;
SELECT 'Posição · títulos' AS chave, count(DISTINCT titulo_id) AS esperado, count(*) AS encontrado FROM posicao.titulos;

-- Os resumos de cada lado por faixa, com o total e as partes do vencido, por prazo e por pessoa.
WITH esperados AS (
  SELECT lado || ' por faixa · ' || faixa AS figura, count(*) AS qtde, sum(valor) AS valor FROM prova.abertos
  GROUP BY ALL
  UNION ALL SELECT lado || ' · ' || parte, qtde, valor FROM prova.posicao
  UNION ALL SELECT lado || ' por prazo · ' || prazo, count(*), sum(valor) FROM prova.abertos WHERE NOT vencido
  GROUP BY ALL
  UNION ALL SELECT lado || ' por pessoa · ' || faixa, 0, sum(valor) FROM prova.abertos GROUP BY ALL
  UNION ALL SELECT lado || ' por pessoa · total', 0, sum(valor) FROM prova.abertos GROUP BY ALL),
pessoas AS (
  SELECT 'Pagar por pessoa · ' AS onde, * EXCLUDE (pessoa, pessoa_id) FROM mart.a_pagar_pessoas
  UNION ALL SELECT 'Receber por pessoa · ', * EXCLUDE (pessoa, pessoa_id) FROM mart.a_receber_pessoas),
mostrados AS (
  SELECT 'Pagar por faixa · ' || faixa AS figura, qtde, valor FROM mart.a_pagar_faixas
  UNION ALL SELECT 'Receber por faixa · ' || faixa, qtde, valor FROM mart.a_receber_faixas
  UNION ALL SELECT 'Pagar · ' || codigo, qtde, valor FROM mart.a_pagar_faixas_total
  UNION ALL SELECT 'Receber · ' || codigo, qtde, valor FROM mart.a_receber_faixas_total
  UNION ALL SELECT 'Pagar por prazo · ' || vence_em_dias, qtde, valor FROM mart.a_pagar_a_vencer
  UNION ALL SELECT 'Receber por prazo · ' || vence_em_dias, qtde, valor FROM mart.a_receber_a_vencer
  UNION ALL
  SELECT onde || unnest(['A vencer', '1-30', '31-60', '61-90', '91-180', '>180', 'total', 'linhas que não somam']), 0,
    unnest([a_vencer, faixa_1_30, faixa_31_60, faixa_61_90, faixa_91_180, acima_de_180, total,
      (total IS DISTINCT FROM
        a_vencer + faixa_1_30 + faixa_31_60 + faixa_61_90 + faixa_91_180 + acima_de_180)::INTEGER]) FROM pessoas),
somados AS (SELECT figura, sum(qtde) AS qtde, sum(valor) AS valor FROM mostrados GROUP BY figura)
SELECT figura || unnest(['', ' · qtde']) AS chave,
  unnest([coalesce(e.valor, 0), coalesce(e.qtde, 0)])::DECIMAL(18,2) AS esperado,
  unnest([coalesce(m.valor, 0), coalesce(m.qtde, 0)])::DECIMAL(18,2) AS encontrado
FROM esperados e FULL JOIN somados m USING (figura)
UNION ALL
SELECT 'total', (SELECT coalesce(sum(valor), 0) FROM prova.abertos),
  (SELECT coalesce(sum(valor), 0) FROM mart.a_pagar) + (SELECT coalesce(sum(valor), 0) FROM mart.a_receber)
ORDER BY chave;

-- O mesmo por pessoa (R10, R12), forma (R12) e grupo (R17): o que está em aberto, o que se pagou e recebeu no caixa em
-- 365 dias e a receita de 12 meses fechados (S4). Inadimplência e hábitos deixam de fora o que é fora do resultado.
WITH esperados AS (
  SELECT 'Pessoas' AS onde, pessoa_id AS id, CASE WHEN lado = 'Receber' THEN 'a receber ' ELSE 'a pagar ' END
    || CASE WHEN vencido THEN 'vencido' ELSE 'a vencer' END AS figura, sum(valor) AS valor FROM prova.abertos
  GROUP BY ALL
  UNION ALL SELECT 'Pessoas', pessoa_id, 'posição líquida', sum(valor) FROM prova.abertos GROUP BY ALL
  UNION ALL SELECT 'Pessoas', pessoa_id, CASE WHEN valor > 0 THEN 'recebido' ELSE 'pago' END, sum(valor)
  FROM prova.titulos CROSS JOIN prova.parametros
  WHERE caixa AND NOT transferencia AND data_pagamento > data_base - 365 GROUP BY ALL
  UNION ALL
  SELECT 'Pessoas', pessoa_id, 'receita', sum(valor) FROM prova.linhas CROSS JOIN prova.parametros
  WHERE natureza = 'R' AND NOT transferencia AND NOT fora_resultado AND data_competencia_ef >= mes - INTERVAL 12 MONTH
    AND data_competencia_ef < mes GROUP BY ALL
  UNION ALL SELECT 'Inadimplência', pessoa_id, figura, valor FROM prova.devedores
  UNION ALL
  SELECT unnest(['Hábitos', 'Formas']), unnest([pessoa_id, forma_pagamento_id]), figura, valor FROM prova.habitos
  UNION ALL SELECT 'Recorrentes', grupo_id, unnest(['em aberto', 'pagas', 'abertas', 'grupo']),
    unnest([aberto, pagas, abertas, 1])
  FROM (SELECT grupo_id, coalesce(sum(valor) FILTER (NOT pago), 0) AS aberto,
      count(*) FILTER (pago) AS pagas, count(*) FILTER (NOT pago) AS abertas
    FROM prova.titulos WHERE grupo_id IS NOT NULL AND NOT transferencia AND valor <> 0 GROUP BY grupo_id)),
mostrados AS (
  SELECT 'Pessoas' AS onde, pessoa_id AS id, unnest(['a receber a vencer', 'a receber vencido', 'a pagar a vencer',
      'a pagar vencido', 'posição líquida', 'recebido', 'pago', 'receita']) AS figura,
    unnest([a_receber_a_vencer, a_receber_vencido, a_pagar_a_vencer, a_pagar_vencido, posicao_liquida,
      recebido_365_dias, pago_365_dias, receita_12_meses_fechados]) AS valor FROM mart.pessoas
  UNION ALL
  SELECT 'Inadimplência', pessoa_id, unnest(['em aberto', 'a vencer', 'vencido', '1-30', '31-60', '61-90', '91-180',
      '>180', 'em carência', 'com cobrança paga', 'encargos', 'atualizado', 'maior atraso', 'etapa']),
    unnest([em_aberto, a_vencer, vencido, faixa_1_30, faixa_31_60, faixa_61_90, faixa_91_180, acima_de_180, em_carencia,
      com_cobranca_paga, encargos_est, valor_atualizado, maior_atraso,
      coalesce(list_position(regua, etapa_da_regua) - 1, -1)])
  FROM mart.inadimplencia CROSS JOIN prova.parametros
  UNION ALL
  SELECT onde, id, unnest(['pagos', 'valor pago', 'com atraso', 'a receber']),
    unnest([titulos_pagos, valor_pago, pagos_com_atraso, a_receber])
  FROM (SELECT 'Hábitos' AS onde, pessoa_id AS id, * FROM mart.pessoas_habitos
    UNION ALL BY NAME SELECT 'Formas' AS onde, forma_pagamento_id AS id, * FROM mart.pessoas_formas)
  UNION ALL
  SELECT 'Recorrentes', grupo_id, unnest(['em aberto', 'pagas', 'abertas', 'grupo']),
    unnest([valor_em_aberto, pagas, em_aberto, 1]) FROM mart.recorrentes),
pares AS (
  SELECT onde, id, figura, sum(e) AS esperado, sum(m) AS encontrado
  FROM (SELECT *, 0 AS m FROM esperados AS t(onde, id, figura, e)
    UNION ALL SELECT onde, id, figura, 0, valor FROM mostrados) GROUP BY ALL)
SELECT CASE WHEN esperado = encontrado THEN 'figuras iguais'
    ELSE onde || ' · ' || coalesce('id ' || id, 'sem id') || ' · ' || figura END AS chave,
  nullif(esperado, encontrado)::DECIMAL(18,2) AS esperado,
  nullif(encontrado, esperado)::DECIMAL(18,2) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL ORDER BY chave;

-- Por mês de vencimento (R10, R13), e o que a agenda (R08) paga da data-base a 14 dias depois, por dia e conta (S4).
WITH meses AS (
  SELECT date_trunc('month', data_vencimento)::DATE AS mes, tipo, fora_resultado,
    NOT pago AS aberto, valor FROM prova.titulos WHERE NOT transferencia AND valor <> 0),
esperados AS (
  SELECT strftime(mes, 'Safra · %Y-%m') AS figura, sum(valor) AS a, coalesce(sum(valor) FILTER (aberto), 0) AS b
  FROM meses WHERE tipo = 'R' AND NOT fora_resultado GROUP BY ALL
  UNION ALL
  SELECT strftime(m.mes, 'Vencimento x pagamento · %Y-%m · ') || tipo, sum(valor),
    coalesce(sum(valor) FILTER (aberto), 0)
  FROM meses m JOIN prova.parametros p ON m.mes <= p.mes GROUP BY ALL
  UNION ALL
  SELECT 'Agenda · ' || data_projetada || coalesce(' · conta ' || conta_id, ' · sem conta'), sum(valor), 0
  FROM prova.abertos JOIN prova.parametros ON data_projetada <= data_base + 14 WHERE lado = 'Pagar' GROUP BY ALL),
mostrados AS (
  SELECT strftime(safra, 'Safra · %Y-%m') AS figura, emitido AS a, ainda_em_aberto AS b FROM mart.inadimplencia_safra
  UNION ALL
  SELECT strftime(v.mes_de_vencimento, 'Vencimento x pagamento · %Y-%m · ') || v.tipo_codigo, v.vencia, v.em_aberto
  FROM mart.previsto_realizado_vencimento v JOIN prova.parametros p ON v.mes_de_vencimento <= p.mes
  UNION ALL
  SELECT 'Agenda · ' || dia || coalesce(' · conta ' || conta_id, ' · sem conta'), a_pagar,
    coalesce(saldo_antes + a_pagar - saldo_depois, 0) FROM mart.a_pagar_agenda),
somados AS (SELECT figura, sum(a) AS a, sum(b) AS b FROM mostrados GROUP BY figura)
SELECT figura || unnest(['', CASE WHEN starts_with(figura, 'Agenda') THEN ' · saldo' ELSE ' · em aberto' END]) AS chave,
  unnest([coalesce(e.a, 0), coalesce(e.b, 0)])::DECIMAL(18,2) AS esperado,
  unnest([coalesce(m.a, 0), coalesce(m.b, 0)])::DECIMAL(18,2) AS encontrado
FROM esperados e FULL JOIN somados m USING (figura)
UNION ALL
SELECT strftime(mes_de_vencimento, 'Vencimento x pagamento · %Y-%m · ') || tipo_codigo || ' · soma',
  pago_no_mes + pago_antes + pago_depois + em_aberto, vencia FROM mart.previsto_realizado_vencimento
ORDER BY chave;

-- Os índices (R10) e os prazos médios (R12): as partes dos índices, e cada quociente, meio para cima (S14).
WITH indices AS (
  SELECT m.*, c.numerador AS acima, c.denominador AS abaixo, c.pct AS quociente
  FROM mart.inadimplencia_indices m JOIN prova.carteira c ON c.indice = CASE
    WHEN starts_with(m.indice, 'Inadimplência') THEN 'inadimplencia'
    WHEN m.indice = 'Carteira ajustada' THEN 'ajustada' ELSE 'vencida' END),
prazos AS (
  SELECT codigo, dias, (100 * denominador)::HUGEINT AS d, (100 * numerador)::HUGEINT * 10 * CASE
    WHEN codigo IN ('pmr', 'pmp') THEN 90 WHEN codigo = 'dias_de_caixa' THEN 90 ELSE 1 END AS n
  FROM mart.pessoas_prazos CROSS JOIN prova.parametros WHERE codigo <> 'ciclo' AND numerador IS NOT NULL)
SELECT 'Índices · ' || indice || unnest([' · %', ' · numerador', ' · denominador']) AS chave,
  unnest([quociente, acima, abaixo])::DECIMAL(18,2) AS esperado,
  unnest([pct, numerador, denominador])::DECIMAL(18,2) AS encontrado
FROM indices
UNION ALL
SELECT 'Prazos · ' || codigo, CASE WHEN d > 0
  THEN (sign(n) * sign(d) * ((2 * abs(n) + abs(d)) // (2 * abs(d))))::DECIMAL(18,0) * 0.1 END, dias FROM prazos
UNION ALL
SELECT 'Prazos · ciclo', any_value(dias) FILTER (codigo = 'pmr') - any_value(dias) FILTER (codigo = 'pmp'),
  any_value(dias) FILTER (codigo = 'ciclo') FROM mart.pessoas_prazos
UNION ALL
SELECT 'Prazos · pmp sem mapa', NULL, dias FROM mart.pessoas_prazos CROSS JOIN prova.mapa
WHERE codigo = 'pmp' AND NOT margens
ORDER BY chave;

-- Nenhum título, pessoa, grupo ou mês se repete; as faixas e os prazos estão todos lá.
SELECT 'Pagar · títulos' AS chave, count(DISTINCT titulo_id) AS esperado, count(*) AS encontrado FROM mart.a_pagar
UNION ALL SELECT 'Receber · títulos', count(DISTINCT titulo_id), count(*) FROM mart.a_receber
UNION ALL SELECT 'Pagar · faixas, prazos e totais', 17, (SELECT count(*) FROM mart.a_pagar_faixas)
  + (SELECT count(*) FROM mart.a_pagar_a_vencer) + (SELECT count(*) FROM mart.a_pagar_faixas_total)
UNION ALL SELECT 'Receber · faixas, prazos e totais', 19, (SELECT count(*) FROM mart.a_receber_faixas)
  + (SELECT count(*) FROM mart.a_receber_a_vencer) + (SELECT count(*) FROM mart.a_receber_faixas_total)
UNION ALL SELECT 'Pessoas · linhas', count(DISTINCT coalesce(pessoa_id, -1)), count(*) FROM mart.pessoas
UNION ALL SELECT 'Inadimplência · linhas', count(DISTINCT coalesce(pessoa_id, -1)), count(*) FROM mart.inadimplencia
UNION ALL SELECT 'Índices e prazos', 11,
  (SELECT count(*) FROM mart.inadimplencia_indices) + (SELECT count(*) FROM mart.pessoas_prazos)
UNION ALL SELECT 'Safra · meses', count(DISTINCT safra), count(*) FROM mart.inadimplencia_safra
UNION ALL SELECT 'Vencimento x pagamento · linhas', count(DISTINCT (mes_de_vencimento, tipo_codigo)), count(*)
  FROM mart.previsto_realizado_vencimento
