-- As contas e seus saldos (S7), também as que só os movimentos conhecem.
--   inicio: início do controle; nulo: desde sempre
--   abertura: saldo inicial
--   com_abertura: o saldo inicial está na configuração
--   cartao: cartão de crédito (R01)
--   em_uso: configurada e ativa
--   conhecida: está na configuração, ou o serviço disse seu nome (S11)
--   origem: de onde vem o saldo inicial (S23); recorte: de parte do que a conta movimenta não há saldo
--   provada: um segundo saldo concorda com a âncora (S23); nulo sem âncora
--   saldo: o da data-base; nulo antes do controle
SELECT coalesce(c.conta_id, m.conta_id) AS conta_id, c.data_saldo_inicial AS inicio,
  coalesce(c.valor_saldo_inicial, 0)::DECIMAL(18,2) AS abertura, coalesce(c.tem_saldo_inicial, false) AS com_abertura,
  coalesce(c.configurada AND c.ativa, false) AS em_uso,
  coalesce(c.configurada OR c.descricao <> 'Conta #' || c.conta_id, false) AS conhecida,
  coalesce(c.tipo = 'cartao', false) AS cartao, c.origem_saldo AS origem, c.ancora_provada AS provada,
  CASE WHEN c.data_saldo_inicial > p.data_base THEN NULL ELSE coalesce(m.saldo, 0) END::DECIMAL(18,2) AS saldo
FROM core.contas c CROSS JOIN prova.parametros p
FULL JOIN (SELECT conta_id, sum(valor) FILTER (NOT previsto) AS saldo FROM prova.movimentos GROUP BY conta_id) m
  ON m.conta_id IS NOT DISTINCT FROM c.conta_id
