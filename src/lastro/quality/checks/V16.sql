-- V16 · Transferências com par recíproco, oposto e na mesma data
-- Severidade: alerta
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Só relações internas: os registros são comparados entre si.
-- Por que importa: uma perna sem par move o saldo de uma conta e de nenhuma outra, e o total muda sem que nada
--   tenha entrado.
-- O que fazer: refaça a transferência no serviço; se a outra conta não é lida, acrescente-a à configuração.

-- Cada perna e a outra: presente, que aponte de volta, de valor oposto e paga no mesmo dia (S6). Q09 lista as linhas.
WITH pernas AS (
  SELECT l.linha_id, CASE WHEN o.linha_id IS NULL THEN 'sem par'
      WHEN o.lancamento_transferencia_id IS DISTINCT FROM l.linha_id THEN 'par não recíproco'
      WHEN o.valor <> -l.valor THEN 'valores não opostos'
      WHEN o.data_pagamento IS DISTINCT FROM l.data_pagamento THEN 'datas de pagamento diferentes'
      WHEN count(*) OVER (PARTITION BY l.origem, l.linha_id) > 1 THEN 'perna repetida' END AS motivo
  FROM prova.linhas l
  LEFT JOIN prova.linhas o ON o.origem = 'lancamento' AND o.linha_id = l.lancamento_transferencia_id
  WHERE l.transferencia)
SELECT 'linha ' || linha_id AS chave, NULL::VARCHAR AS esperado, motivo AS encontrado FROM pernas ORDER BY linha_id
