-- Cada título que uma cobrança cobra (S12), como está na data-base.
--   positivas: soma das linhas positivas do título
--   vivas: quantas cobranças vivas o cobram
SELECT c.cobranca_id, c.titulo_id, t.pago, t.data_pagamento, t.valor, t.positivas, d.data_vencimento, d.pessoa_id,
  t.conta_id, count(*) FILTER (v.viva) OVER (PARTITION BY c.titulo_id) AS vivas
FROM core.cobranca_titulos c
JOIN core.cobrancas v ON v.cobranca_id = c.cobranca_id
JOIN prova.titulos t ON t.titulo_id = c.titulo_id
JOIN core.titulos d ON d.titulo_id = c.titulo_id
