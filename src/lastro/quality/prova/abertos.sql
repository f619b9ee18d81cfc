-- Cada título em aberto na data-base, fora transferências e os de valor zero (S8, S9), como Pagar e Receber o mostram.
--   lado: Receber ou Pagar, pelo sinal
--   descricao: a do título, e quantas linhas mais ele tem
--   prazo: em quantos dias vence o que não venceu
--   cobranca: o que o serviço diz dela, ou repasse (S12); se está vencido e uma cobrança viva consta paga, também isso
--   etapa: do que se recebe, o lugar na régua de prova.parametros, de zero (R10), de pago só o que não voltou (F4)
SELECT t.titulo_id, CASE WHEN t.valor > 0 THEN 'Receber' ELSE 'Pagar' END AS lado, t.valor,
  CASE WHEN t.valor > 0 THEN t.positivas ELSE (t.valor - t.positivas)::DECIMAL(18,2) END AS bruto,
  (t.valor - bruto)::DECIMAL(18,2) AS deducoes, t.conta_id, t.pessoa_id, g.categoria_id,
  g.centro_custo_lucro_id, t.forma_pagamento_id, t.grupo_id, t.fora_resultado,
  CASE WHEN t.qtde_linhas > 1 THEN trim(coalesce(g.descricao, '') || ' + ' || (t.qtde_linhas - 1)
    || CASE WHEN t.qtde_linhas > 2 THEN ' itens' ELSE ' item' END) ELSE coalesce(g.descricao, '') END AS descricao,
  coalesce(g.documento, '') AS documento, coalesce(t.numero_repeticao || CASE WHEN t.total_repeticoes <> 0
    THEN '/' || t.total_repeticoes ELSE '' END, '') AS parcela, t.pagamento_automatico,
  t.data_vencimento, t.data_prevista, t.data_efetiva, t.data_projetada, t.vencido, t.suspeito, t.em_carencia,
  t.dias_de_atraso, t.faixa, t.situacao,
  CASE WHEN t.vencido THEN NULL WHEN dias_de_atraso >= 0 THEN 'Hoje' WHEN dias_de_atraso >= -7 THEN '1-7'
    WHEN dias_de_atraso >= -15 THEN '8-15' WHEN dias_de_atraso >= -30 THEN '16-30'
    WHEN dias_de_atraso >= -60 THEN '31-60' WHEN dias_de_atraso >= -90 THEN '61-90' ELSE '>90' END AS prazo,
  CASE WHEN t.valor > 0 THEN t.cobranca_id END AS cobranca_id,
  CASE WHEN t.valor < 0 THEN NULL WHEN r.titulo_id IS NOT NULL THEN 'repasse'
    WHEN t.cobranca_id IS NULL THEN 'sem cobrança' WHEN t.cobranca_paga AND t.vencido
    THEN 'cobrança consta paga (' || t.cobranca || ')' ELSE t.cobranca END AS cobranca,
  t.cobranca_paga, (sign(t.valor) * t.multa)::DECIMAL(18,2) AS multa_est,
  (sign(t.valor) * t.juros)::DECIMAL(18,2) AS juros_est,
  (t.valor + multa_est + juros_est)::DECIMAL(18,2) AS valor_atualizado,
  CASE WHEN t.valor < 0 THEN NULL
    WHEN t.cobranca_paga AND t.titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra = 'F4') THEN 1
    WHEN t.suspeito OR r.titulo_id IS NOT NULL THEN 0
    WHEN coalesce(t.cobranca_vence, t.data_prevista) > p.data_base
      THEN CASE WHEN coalesce(t.cobranca_vence, t.data_prevista) <= p.data_base + 3 THEN 2 ELSE 0 END
    ELSE 3 + len(list_filter(p.regua_ate, lambda ate: ate < t.dias_de_mora)) END AS etapa
FROM prova.titulos t CROSS JOIN prova.parametros p LEFT JOIN core.titulos g ON g.titulo_id = t.titulo_id
LEFT JOIN prova.repasses r ON r.titulo_id = t.titulo_id WHERE t.aberto
