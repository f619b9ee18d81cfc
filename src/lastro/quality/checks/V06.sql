-- V06 · Posição em aberto: resumo = detalhe = títulos em aberto; a vencer + hoje + vencido = total
-- Severidade: erro
-- Relatório: R09
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

-- Cada título, aberto ou pago, é a soma de suas linhas (S1) e, na data-base, o que os relatórios tomam dele (posicao):
-- pago ou não (S3, S7), dias, faixa e situação (S8), o dia na projeção (S4), cobrança (S9), mora e estimativas (S8).
-- Iguais: prova.titulos = posicao.titulos por titulo_id como 'Posição · título ' || titulo_id:
--   valor, qtde_linhas, data_vencimento, data_pagamento, transferencia, fora_resultado, pago, data_prevista,
--   data_efetiva, data_ref, dias_de_atraso, vencido, vence_hoje, em_carencia, faixa, situacao, data_projetada,
--   data_competencia_ef, cobranca_id, cobranca_paga, dias_de_mora, multa, juros, caixa
-- Uma vez: posicao.titulos por titulo_id como 'Posição · títulos'

-- Os resumos de cada lado por faixa, com o total e as partes do vencido, por prazo e por pessoa.
WITH esperados AS (
  SELECT lado || ' por faixa · ' || faixa AS figura, 1 AS qtde, valor FROM prova.abertos
  UNION ALL SELECT lado || ' · ' || parte, qtde, valor FROM prova.posicao
  UNION ALL SELECT lado || ' por prazo · ' || prazo, 1, valor FROM prova.abertos WHERE NOT vencido
  UNION ALL SELECT lado || ' por pessoa · ' || unnest([faixa, 'total']), 0, valor FROM prova.abertos),
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
        a_vencer + faixa_1_30 + faixa_31_60 + faixa_61_90 + faixa_91_180 + acima_de_180)::INTEGER]) FROM pessoas)
-- Somam: esperados = mostrados por figura como figura: valor, qtde
SELECT 'total' AS chave, (SELECT coalesce(sum(valor), 0) FROM prova.abertos) AS esperado,
  (SELECT coalesce(sum(valor), 0) FROM mart.a_pagar) + (SELECT coalesce(sum(valor), 0) FROM mart.a_receber)
    AS encontrado;

-- O mesmo por pessoa (R10, R12), forma (R12) e grupo (R17): o que está em aberto, o que se pagou e recebeu no caixa em
-- 365 dias e a receita de 12 meses fechados (S4). Inadimplência e hábitos deixam de fora o que é fora do resultado.
WITH esperados AS (
  SELECT 'Pessoas' AS lugar, pessoa_id AS id, CASE WHEN lado = 'Receber' THEN 'a receber ' ELSE 'a pagar ' END
    || CASE WHEN vencido THEN 'vencido' ELSE 'a vencer' END AS figura, valor FROM prova.abertos
  UNION ALL SELECT 'Pessoas', pessoa_id, 'posição líquida', valor FROM prova.abertos
  UNION ALL SELECT 'Pessoas', pessoa_id, CASE WHEN valor > 0 THEN 'recebido' ELSE 'pago' END, valor
  FROM prova.titulos CROSS JOIN prova.parametros
  WHERE caixa AND NOT transferencia AND data_pagamento > data_base - 365
  UNION ALL
  SELECT 'Pessoas', pessoa_id, 'receita', valor FROM prova.linhas CROSS JOIN prova.parametros
  WHERE natureza = 'R' AND NOT transferencia AND NOT fora_resultado AND data_competencia_ef >= mes - INTERVAL 12 MONTH
    AND data_competencia_ef < mes
  UNION ALL SELECT 'Inadimplência', pessoa_id, figura, valor FROM prova.devedores
  UNION ALL
  SELECT unnest(['Hábitos', 'Formas']), unnest([pessoa_id, forma_pagamento_id]), figura, valor FROM prova.habitos
  UNION ALL
  SELECT 'Recorrentes', grupo_id, unnest(['em aberto', 'pagas', 'abertas']),
    CASE WHEN pago THEN unnest([0, 1, 0]) ELSE unnest([valor, 0, 1]) END
  FROM prova.titulos WHERE grupo_id IS NOT NULL AND NOT transferencia AND valor <> 0),
mostrados AS (
  SELECT 'Pessoas' AS lugar, pessoa_id AS id, unnest(['a receber a vencer', 'a receber vencido', 'a pagar a vencer',
      'a pagar vencido', 'posição líquida', 'recebido', 'pago', 'receita']) AS figura,
    unnest([a_receber_a_vencer, a_receber_vencido, a_pagar_a_vencer, a_pagar_vencido, posicao_liquida,
      recebido_365_dias, pago_365_dias, receita_12_meses_fechados]) AS valor FROM mart.pessoas
  UNION ALL
  SELECT 'Inadimplência', pessoa_id, unnest(['em aberto', 'a vencer', 'vencido', '1-30', '31-60', '61-90', '91-180',
      '>180', 'em carência', 'com cobrança paga', 'encargos', 'atualizado', 'maior atraso', 'etapa']),
    coalesce(unnest([em_aberto, a_vencer, vencido, faixa_1_30, faixa_31_60, faixa_61_90, faixa_91_180, acima_de_180,
      em_carencia, com_cobranca_paga, encargos_est, valor_atualizado, maior_atraso,
      coalesce(list_position(regua, etapa_da_regua) - 1, -1)]), 0)
  FROM mart.inadimplencia CROSS JOIN prova.parametros
  UNION ALL
  SELECT lugar, id, unnest(['pagos', 'valor pago', 'com atraso', 'a receber']),
    unnest([titulos_pagos, valor_pago, pagos_com_atraso, a_receber])
  FROM (SELECT 'Hábitos' AS lugar, pessoa_id AS id, * FROM mart.pessoas_habitos
    UNION ALL BY NAME SELECT 'Formas' AS lugar, forma_pagamento_id AS id, * FROM mart.pessoas_formas)
  UNION ALL
  SELECT 'Recorrentes', grupo_id, unnest(['em aberto', 'pagas', 'abertas']), unnest([valor_em_aberto, pagas, em_aberto])
  FROM mart.recorrentes)
-- Somam: esperados = mostrados por lugar, id, figura
--   como concat_ws(' · ', lugar, coalesce('id ' || id, 'sem id'), figura): valor

-- Por mês de vencimento (R10, R13), e o que a agenda (R08) paga da data-base a 14 dias depois, por dia e conta (S4).
-- Fecham: mart.previsto_realizado_vencimento
--   como strftime(mes_de_vencimento, 'Vencimento x pagamento · %Y-%m · ') || tipo_codigo:
--   pago_no_mes + pago_antes + pago_depois + em_aberto = vencia AS 'soma'
-- Fecham: mart.a_pagar_agenda como 'Agenda · ' || dia || coalesce(' · conta ' || conta_id, ' · sem conta'):
--   saldo_antes + a_pagar = saldo_depois AS 'saldo'
WITH meses AS (
  SELECT date_trunc('month', data_vencimento)::DATE AS mes, tipo, fora_resultado,
    CASE WHEN pago THEN 0 ELSE valor END AS aberto, valor FROM prova.titulos WHERE NOT transferencia AND valor <> 0)
-- Somam: meses onde tipo = 'R' AND NOT fora_resultado = mart.inadimplencia_safra por mes = safra
--   como strftime(mes, 'Safra · %Y-%m'): valor = emitido AS '', aberto = ainda_em_aberto AS 'em aberto'
-- Somam: meses onde mes <= (SELECT mes FROM prova.parametros) = mart.previsto_realizado_vencimento
--   onde mes_de_vencimento <= (SELECT mes FROM prova.parametros) por mes = mes_de_vencimento, tipo = tipo_codigo
--   como strftime(mes, 'Vencimento x pagamento · %Y-%m · ') || tipo:
--   valor = vencia AS '', aberto = em_aberto AS 'em aberto'
WITH agenda AS (
  SELECT data_projetada AS dia, conta_id, valor FROM prova.abertos JOIN prova.parametros
    ON data_projetada <= data_base + 14 WHERE lado = 'Pagar')
-- Somam: agenda = mart.a_pagar_agenda por dia, conta_id
--   como 'Agenda · ' || dia || coalesce(' · conta ' || conta_id, ' · sem conta'): valor = a_pagar AS ''

-- Os índices (R10) e os prazos médios (R12): as partes dos índices, e cada quociente, meio para cima (S14).
WITH indices AS (
  SELECT m.*, c.numerador AS acima, c.denominador AS abaixo, c.pct AS quociente
  FROM mart.inadimplencia_indices m JOIN prova.carteira c ON c.indice = CASE
    WHEN starts_with(m.indice, 'Inadimplência') THEN 'inadimplencia'
    WHEN m.indice = 'Carteira ajustada' THEN 'ajustada' ELSE 'vencida' END)
-- Fecham: indices como 'Índices · ' || indice:
--   quociente = pct AS '%', acima = numerador AS 'numerador', abaixo = denominador AS 'denominador'
WITH prazos AS (
  SELECT codigo, dias, (100 * denominador)::HUGEINT AS d, (100 * numerador)::HUGEINT * 10 * CASE
    WHEN codigo IN ('pmr', 'pmp') THEN 90 WHEN codigo = 'dias_de_caixa' THEN 90 ELSE 1 END AS n
  FROM mart.pessoas_prazos CROSS JOIN prova.parametros WHERE codigo <> 'ciclo' AND numerador IS NOT NULL)
SELECT 'Prazos · ' || codigo AS chave, CASE WHEN d > 0
  THEN (sign(n) * sign(d) * ((2 * abs(n) + abs(d)) // (2 * abs(d))))::DECIMAL(18,0) * 0.1 END AS esperado,
  dias AS encontrado
FROM prazos
UNION ALL
SELECT 'Prazos · ciclo', any_value(dias) FILTER (codigo = 'pmr') - any_value(dias) FILTER (codigo = 'pmp'),
  any_value(dias) FILTER (codigo = 'ciclo') FROM mart.pessoas_prazos
UNION ALL
SELECT 'Prazos · pmp sem mapa', NULL, dias FROM mart.pessoas_prazos CROSS JOIN prova.mapa
WHERE codigo = 'pmp' AND NOT margens
ORDER BY chave;

-- Nenhum título, pessoa, grupo ou mês se repete; as faixas e os prazos estão todos lá.
-- Uma vez: mart.a_pagar por titulo_id como 'Pagar · títulos'
-- Uma vez: mart.a_receber por titulo_id como 'Receber · títulos'
-- Uma vez: mart.pessoas por pessoa_id como 'Pessoas · linhas'
-- Uma vez: mart.inadimplencia por pessoa_id como 'Inadimplência · linhas'
-- Uma vez: mart.recorrentes por grupo_id como 'Recorrentes · grupos'
-- Uma vez: mart.inadimplencia_safra por safra como 'Safra · meses'
-- Uma vez: mart.previsto_realizado_vencimento por mes_de_vencimento, tipo_codigo
--   como 'Vencimento x pagamento · linhas'
SELECT 'Pagar · faixas, prazos e totais' AS chave, 17 AS esperado, (SELECT count(*) FROM mart.a_pagar_faixas)
  + (SELECT count(*) FROM mart.a_pagar_a_vencer) + (SELECT count(*) FROM mart.a_pagar_faixas_total) AS encontrado
UNION ALL SELECT 'Receber · faixas, prazos e totais', 19, (SELECT count(*) FROM mart.a_receber_faixas)
  + (SELECT count(*) FROM mart.a_receber_a_vencer) + (SELECT count(*) FROM mart.a_receber_faixas_total)
UNION ALL SELECT 'Índices e prazos', 11,
  (SELECT count(*) FROM mart.inadimplencia_indices) + (SELECT count(*) FROM mart.pessoas_prazos)
