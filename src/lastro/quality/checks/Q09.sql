-- Q09 · Transferência sem par
-- Gravidade: alerta
-- Relatório: R15
-- Por que importa: Uma conta mudou e a outra não, ou não no mesmo dia e valor.
-- O que fazer: Refazer a transferência com as duas contas.

-- Pernas de transferência cuja outra perna falta, não aponta de volta, ou difere em valor ou dia do pagamento (S6).
SELECT 'linha' AS tipo, l.linha_id AS id, l.valor, l.pessoa_id, l.data_vencimento AS dia
FROM prova.linhas l
LEFT JOIN (
  SELECT DISTINCT ON (linha_id) linha_id, lancamento_transferencia_id, valor, data_pagamento FROM prova.linhas
  WHERE origem = 'lancamento' AND linha_id IN (SELECT lancamento_transferencia_id FROM prova.linhas)) o
  ON o.linha_id = l.lancamento_transferencia_id
WHERE l.transferencia AND (o.linha_id IS NULL OR o.lancamento_transferencia_id IS DISTINCT FROM l.linha_id
  OR o.valor <> -l.valor OR o.data_pagamento IS DISTINCT FROM l.data_pagamento)
