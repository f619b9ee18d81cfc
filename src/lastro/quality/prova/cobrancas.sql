-- Cada cobrança (S12) ao lado dos títulos que cobra, e em que discorda deles (R11 g).
--   recebida: situação pela descrição do serviço, mesmo se cancelada
--   positivas: soma das linhas positivas dos títulos
--   aberta: algum título está em aberto na data-base (S3)
--   baixada: algum título está pago
--   pago_em: o último pagamento de seus títulos, se todos estão pagos; senão o dia em que uma leitura a viu paga
--   desconhecidos: ids que cita e que nenhum lançamento tem
--   orfa: nenhum lançamento é dela
--   divergencias: M1 a M11; uma cobrança cancelada só pode ter M5
WITH cobrados AS (
  SELECT t.cobranca_id, sum(t.positivas) AS positivas, bool_or(NOT t.pago) AS aberta, bool_or(t.pago) AS baixada,
    CASE WHEN bool_and(t.pago) THEN max(t.data_pagamento) END AS quitada,
    bool_or(t.data_vencimento NOT BETWEEN c.data_vencimento AND c.data_vencimento + 35) AS outro_dia,
    bool_or(t.pessoa_id IS DISTINCT FROM c.pessoa_id) AS outra_pessoa,
    bool_or(t.conta_id IS DISTINCT FROM c.conta_id) AS outra_conta, bool_or(t.vivas > 1) AS repetida
  FROM prova.cobrados t JOIN core.cobrancas c ON c.cobranca_id = t.cobranca_id
  GROUP BY t.cobranca_id),
desconhecidos AS (
  SELECT cobranca_id, list(lancamento_id ORDER BY lancamento_id) AS desconhecidos FROM core.cobranca_desconhecidos
  GROUP BY cobranca_id)
SELECT c.cobranca_id, c.conta_id, c.forma_pagamento_id, c.viva, c.paga, c.rank, c.status, c.data_vencimento, c.data_a_transferir,
  c.data_transferido, c.valor, c.valor_multa_juros, c.valor_pago, c.taxa, c.liquido, d.desconhecidos,
  regexp_replace(lower(strip_accents(trim(c.status_descricao))), '\s+', '_', 'g') AS recebida,
  coalesce(t.positivas, 0)::DECIMAL(18,2) AS positivas, coalesce(t.aberta, false) AS aberta,
  coalesce(t.baixada, false) AS baixada, t.cobranca_id IS NULL AS orfa,
  coalesce(t.quitada, CASE WHEN c.data_pagamento_observada AND c.data_pagamento <= p.data_base
    THEN c.data_pagamento END) AS pago_em,
  CASE WHEN NOT c.viva THEN CASE WHEN coalesce(t.aberta, false) THEN ['M5'] ELSE [] END ELSE list_filter([
    CASE WHEN c.paga AND t.aberta THEN 'M1' END,
    CASE WHEN c.rank IN (1, 2) AND t.baixada THEN 'M2' END,
    CASE WHEN c.valor <> coalesce(t.positivas, 0) THEN 'M3' END,
    CASE WHEN d.cobranca_id IS NOT NULL THEN 'M4' END,
    CASE WHEN t.outro_dia THEN 'M6' END,
    CASE WHEN t.outra_pessoa THEN 'M7' END,
    CASE WHEN t.outra_conta THEN 'M8' END,
    CASE WHEN c.paga AND c.valor_pago IS DISTINCT FROM c.valor + coalesce(c.valor_multa_juros, 0) THEN 'M9' END,
    CASE WHEN t.repetida THEN 'M10' END,
    CASE WHEN c.rank = 0 THEN 'M11' END], lambda tipo: tipo IS NOT NULL) END AS divergencias
FROM core.cobrancas c CROSS JOIN prova.parametros p
LEFT JOIN cobrados t ON t.cobranca_id = c.cobranca_id
LEFT JOIN desconhecidos d ON d.cobranca_id = c.cobranca_id
