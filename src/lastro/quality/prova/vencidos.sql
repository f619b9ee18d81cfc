-- O que o serviço filtra por vencido na leitura (S16).
--   tipo: PA a pagar, RA a receber
--   conta_id: conta em cuja listagem veio
SELECT tipo, conta_id, lancamento_id, valor, lancamento_transferencia_id FROM raw.vencidos
