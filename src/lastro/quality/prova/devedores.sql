-- O que cada cliente deve (R10), sem o que é fora do resultado.
--   figura: em aberto, a vencer, vencido ou uma faixa dele, em carência, com cobrança paga, encargos, maior atraso, etapa
--   valor: o valor; do maior atraso, dias; da etapa, o lugar na régua de prova.parametros da pior de seus títulos
SELECT pessoa_id, unnest(['em aberto', 'a vencer', 'vencido', '1-30', '31-60', '61-90', '91-180', '>180', 'em carência',
    'com cobrança paga', 'encargos', 'atualizado', 'maior atraso', 'etapa']) AS figura,
  coalesce(unnest([sum(valor), sum(valor) FILTER (NOT vencido), sum(valor) FILTER (vencido),
    sum(valor) FILTER (vencido AND faixa = '1-30'), sum(valor) FILTER (vencido AND faixa = '31-60'),
    sum(valor) FILTER (vencido AND faixa = '61-90'), sum(valor) FILTER (vencido AND faixa = '91-180'),
    sum(valor) FILTER (vencido AND faixa = '>180'), sum(valor) FILTER (em_carencia),
    sum(valor) FILTER (cobranca_paga), sum(multa_est + juros_est), sum(valor_atualizado),
    max(dias_de_atraso) FILTER (vencido), max(etapa)]), 0)::DECIMAL(18,2) AS valor
FROM prova.abertos WHERE lado = 'Receber' AND NOT fora_resultado GROUP BY pessoa_id
