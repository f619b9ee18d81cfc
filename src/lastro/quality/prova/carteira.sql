-- Os índices da carteira a receber (R10), sem o que é fora do resultado; o que se divide por zero não tem índice.
--   indice: vencida, ajustada (sem o que está em carência ou tem cobrança paga) ou inadimplencia
--   numerador: o vencido (S8), ele ajustado, ou o que está atrasado há mais de inadimplencia_dias
--   denominador: tudo o que está em aberto; da inadimplência, o que vencia em 365 dias, pago ou não
WITH abertos AS (
  SELECT coalesce(sum(valor), 0) AS aberto, coalesce(sum(valor) FILTER (vencido), 0) AS vencido,
    coalesce(sum(valor) FILTER (dias_de_atraso > inadimplencia_dias), 0) AS antigo,
    coalesce(sum(valor) FILTER (vencido AND NOT em_carencia AND NOT cobranca_paga), 0) AS sem_explicacao
  FROM prova.abertos CROSS JOIN prova.parametros WHERE lado = 'Receber' AND NOT fora_resultado),
emitidos AS (
  SELECT coalesce(sum(valor), 0) AS emitido FROM prova.titulos CROSS JOIN prova.parametros
  WHERE NOT transferencia AND NOT fora_resultado AND valor > 0 AND data_vencimento > data_base - 365
    AND data_vencimento <= data_base),
partes AS (
  SELECT unnest(['vencida', 'ajustada', 'inadimplencia']) AS indice,
    unnest([vencido, sem_explicacao, antigo]) AS numerador, unnest([aberto, aberto, emitido]) AS denominador
  FROM abertos CROSS JOIN emitidos)
SELECT *, CASE WHEN denominador <> 0 THEN (sign(numerador) * sign(denominador)
    * (((200 * abs(numerador))::HUGEINT * 10000 + (100 * abs(denominador))::HUGEINT)
      // (200 * abs(denominador))::HUGEINT))::DECIMAL(18,0) * 0.01 END AS pct
FROM partes
