-- As contas e seus saldos iniciais (S7), também as que só os movimentos conhecem.
--   inicio: início do controle; nulo: desde sempre
--   abertura: saldo inicial
--   com_abertura: o saldo inicial está na configuração
--   cartao: cartão de crédito (R01)
--   em_uso: configurada e ativa
--   conhecida: está na configuração, ou o serviço disse seu nome (S11)
--   origem: de onde vem o saldo inicial (S23); recorte: de parte do que a conta movimenta não há saldo
--   provada: um segundo saldo concorda com a âncora (S23); nulo sem âncora
SELECT conta_id, data_saldo_inicial AS inicio, valor_saldo_inicial AS abertura,
  tem_saldo_inicial AS com_abertura,
  configurada AND ativa AS em_uso, configurada OR descricao <> 'Conta #' || conta_id AS conhecida,
  coalesce(tipo = 'cartao', false) AS cartao, origem_saldo AS origem,
  ancora_provada AS provada
FROM core.contas
UNION ALL
SELECT DISTINCT conta_id, NULL::DATE, 0::DECIMAL(18,2), false, false, false, false, NULL::VARCHAR, NULL::BOOLEAN
FROM prova.movimentos m
WHERE NOT EXISTS (FROM core.contas c WHERE c.conta_id IS NOT DISTINCT FROM m.conta_id)
